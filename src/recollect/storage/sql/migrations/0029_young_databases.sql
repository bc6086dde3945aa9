-- Plans are made once, for tables as they are at that moment. In a young database, whose rows nobody has counted yet, reading all
-- conversations or memories of a tenant seems as cheap as looking one up by its key, and of two indexes that seem equal
-- the younger one is taken. So the keys have to be the youngest: those of messages are. Without this, appending and recalling
-- read the whole tenant until the database is analysed, which may be a minute after a hundred thousand memories
-- were imported, and took a hundred times as long.
do $$
declare
  kept regclass;
  referring record;
  referrers text[];
begin
  foreach kept in array array['recollect.conversations', 'recollect.memories']::regclass[] loop
    referrers := '{}';
    for referring in
      select conrelid::regclass as place, conname, pg_get_constraintdef(oid) as definition
      from pg_constraint where confrelid = kept and contype = 'f' order by conname
    loop
      referrers := referrers || format('alter table %s add constraint %I %s', referring.place, referring.conname, referring.definition);
      execute format('alter table %s drop constraint %I', referring.place, referring.conname);
    end loop;
    execute format('alter table %s drop constraint %I', kept, (
      select conname from pg_constraint where conrelid = kept and contype = 'p'));
    execute format('alter table %s add primary key (tenant, id)', kept);
    for place in 1 .. cardinality(referrers) loop
      execute referrers[place];
    end loop;
  end loop;
end $$;

-- Who looks for all memories of a pool must not take the key, so one of the indexes that begin with the pool has to be younger still;
-- this one cannot be taken for a memory by its id.
drop index recollect.memories_said_once;
create unique index memories_said_once on recollect.memories (tenant, user_id, pool, fingerprint) where status <> 'retired';
