-- Whoever is erased may have written into what is others', or erased somebody: their name goes from there too.

-- A receipt stays as it is, but for that name, like the audit.
grant update (actor) on recollect.receipts to recollect_server;

create function recollect.only_disown_actor() returns trigger
language plpgsql as $$
begin
  if new.actor <> old.actor and new.actor !~ '^erased:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    raise insufficient_privilege using message = 'a receipt cannot be changed';
  end if;
  return new;
end $$;
create trigger only_disown before update on recollect.receipts
  for each row execute function recollect.only_disown_actor();

revoke all on function recollect.only_disown_actor from public;
grant execute on function recollect.only_disown_actor to recollect_server;

-- Of the tables that are long with text, an erasure must not read every row. Messages of who names nobody are signed by no person, and
-- their appends pay nothing.
create index messages_by_actor on recollect.messages (tenant, actor) where actor <> 'library';
create index state_history_by_actor on recollect.state_history (tenant, actor);
create index memory_versions_by_actor on recollect.memory_versions (tenant, actor);
create index note_versions_by_actor on recollect.note_versions (tenant, actor);
create index document_versions_by_actor on recollect.document_versions (tenant, actor);
