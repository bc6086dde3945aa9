-- A memory that is forgotten over Supabase, as before, but not while somebody learns into its pool: they have looked for what
-- is not to be learned again already, and would bring it back.
create or replace function recollect.agent_memories_delete() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  whose text := recollect.asking_tenant();
begin
  perform recollect.written_for(old.user_id);
  perform set_config('recollect.tenant', whose, true);
  -- The same lock as lock_pool.
  perform pg_advisory_xact_lock(hashtextextended(format('%s/%s/%s/learn', whose, old.user_id, old.pool), 0));
  -- What was forgotten is not learned again.
  with gone as (
    delete from recollect.memories m where m.tenant = whose and m.id = old.id and m.user_id = old.user_id
    returning m.user_id, m.pool, m.fingerprint, m.conversation, m.first_seq, m.last_seq, m.id
  ), buried as (
    insert into recollect.tombstones (tenant, user_id, pool, fingerprint, conversation, first_seq, last_seq)
    select whose, user_id, pool, fingerprint, conversation, first_seq, last_seq from gone on conflict do nothing
  )
  insert into recollect.audit (tenant, actor, action, user_id, subject)
  select whose, recollect.asking_actor(), 'memory.forget', user_id, id::text from gone;
  return case when found then old end;
end $$;
