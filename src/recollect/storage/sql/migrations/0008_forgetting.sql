-- How it forgets: receipts of erasures, how long messages are kept, and what keeps a late writer out.

-- That somebody was erased, when, by whom and how much it was; not who: the hash tells only whoever knows the id.
create table recollect.receipts (
  tenant text not null references recollect.tenants on delete cascade,
  id uuid not null,
  at timestamptz not null default clock_timestamp(),
  actor text not null,
  user_hash text not null,
  counts jsonb not null,
  primary key (tenant, id)
);

-- How many minutes messages are kept; the row without an agent is the tenant's own, minutes 0 means for ever.
create table recollect.retentions (
  tenant text not null references recollect.tenants on delete cascade,
  agent text not null default '',
  minutes int not null check (minutes >= 0),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (tenant, agent)
);

do $$
declare
  name text;
begin
  foreach name in array array['receipts', 'retentions']
  loop
    execute format('alter table recollect.%I enable row level security', name);
    execute format('alter table recollect.%I force row level security', name);
    execute format('create policy tenant_wall on recollect.%I using (tenant = recollect.current_tenant()) with check (tenant = recollect.current_tenant())', name);
    execute format('grant select, insert, update, delete on recollect.%I to recollect_server', name);
  end loop;
end $$;
revoke update, delete on recollect.receipts from recollect_server;

-- Whatever has expired is looked for again and again.
create index memories_expiring on recollect.memories (tenant, expires_at) where expires_at is not null;


-- Nobody writes for a user who is being erased ----------------------------------------------------

-- Everything that a user has hangs on a conversation, a memory or notes, and whoever writes there locks that row.
-- An erasure can wait for a row, but not for one that it cannot see yet; so whoever begins a new one holds a lock
-- that an erasure takes for itself. Appends do not come here: they begin no row of these tables.
create function recollect.lock_of_user(p_tenant text, p_user text) returns bigint
language sql immutable strict parallel safe
return hashtextextended(format('recollect.user/%s/%s', p_tenant, p_user), 0);

create function recollect.wait_for_erasure() returns trigger
language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(recollect.lock_of_user(new.tenant, new.user_id));
  return new;
end $$;

create trigger wait_for_erasure before insert on recollect.conversations
  for each row execute function recollect.wait_for_erasure();
create trigger wait_for_erasure before insert on recollect.memories
  for each row execute function recollect.wait_for_erasure();
create trigger wait_for_erasure before insert on recollect.notes
  for each row execute function recollect.wait_for_erasure();


-- The audit of somebody who was erased ------------------------------------------------------------

-- The audit stays as it is, but for one thing: the name of whoever was erased becomes the id of the receipt.
grant update (user_id, actor) on recollect.audit to recollect_server;

create function recollect.only_disown() returns trigger
language plpgsql as $$
declare
  alias text := '^erased:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
begin
  if (new.user_id is distinct from old.user_id and (new.user_id is null or new.user_id !~ alias))
     or (new.actor <> old.actor and new.actor !~ alias) then
    raise insufficient_privilege using message = 'the audit cannot be changed';
  end if;
  return new;
end $$;
create trigger only_disown before update on recollect.audit
  for each row execute function recollect.only_disown();

revoke all on function recollect.lock_of_user, recollect.wait_for_erasure, recollect.only_disown from public;
grant execute on function recollect.lock_of_user, recollect.wait_for_erasure, recollect.only_disown to recollect_server;
