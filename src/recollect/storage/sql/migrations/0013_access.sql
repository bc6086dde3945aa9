-- Who may come in: API keys; and the answers that were given under idempotency keys.

-- A key is found by its tenant, which its text names, and its id; of the secret only a hash is here.
create table recollect.api_keys (
  tenant text not null references recollect.tenants on delete cascade,
  id text not null,
  secret_hash bytea not null,
  name text not null default '',
  scopes text[] not null,
  user_id text, -- whoever holds it sees this user only; null: every user of the tenant
  created_at timestamptz not null default clock_timestamp(),
  created_by text not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz, -- to the minute
  primary key (tenant, id)
);

-- What was answered to a request that makes something, so that the same request again makes nothing new. Without an
-- answer it is under way, or died on the way; then it may be taken over when its lease is over.
create table recollect.answers (
  tenant text not null references recollect.tenants on delete cascade,
  user_id text not null,
  key text not null,
  fingerprint bytea not null,
  leased_until timestamptz not null,
  status int,
  headers jsonb,
  body bytea,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant, user_id, key)
);
create index answers_by_age on recollect.answers (tenant, created_at);

do $$
declare
  name text;
begin
  foreach name in array array['api_keys', 'answers']
  loop
    execute format('alter table recollect.%I enable row level security', name);
    execute format('alter table recollect.%I force row level security', name);
    execute format('create policy tenant_wall on recollect.%I using (tenant = recollect.current_tenant()) with check (tenant = recollect.current_tenant())', name);
    execute format('grant select, insert, update, delete on recollect.%I to recollect_server', name);
  end loop;
end $$;

-- Whether anybody has ever made a key, in any tenant: yes or no, and nothing else. A server without keys is open to
-- this machine; one revoked key is enough to close it.
create policy any_for_servers on recollect.api_keys for select to recollect_owner using (true);
create function recollect.keys_exist() returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select exists (select from recollect.api_keys) $$;

-- The operator, who may act as the owner, may list the tenants; the server may not.
create policy names_for_operators on recollect.tenants for select to recollect_owner using (true);

-- One request at a time under an idempotency key. Returns the row as it stands, and whether it is ours to answer.
create function recollect.begin_answer(
  p_tenant text, p_user text, p_key text, p_fingerprint bytea, p_seconds double precision)
returns table (ours boolean, same boolean, status int, headers jsonb, body bytea)
language plpgsql as $$
declare
  found_one recollect.answers;
begin
  perform set_config('recollect.tenant', p_tenant, true);
  insert into recollect.tenants (tenant) values (p_tenant) on conflict do nothing;
  insert into recollect.answers as a (tenant, user_id, key, fingerprint, leased_until)
  values (p_tenant, p_user, p_key, p_fingerprint, clock_timestamp() + make_interval(secs => p_seconds))
  on conflict (tenant, user_id, key) do update
    set leased_until = excluded.leased_until
    where a.status is null and a.fingerprint = excluded.fingerprint and a.leased_until < clock_timestamp();
  if found then
    return query select true, true, null::int, null::jsonb, null::bytea;
    return;
  end if;
  select * into found_one from recollect.answers a where a.tenant = p_tenant and a.user_id = p_user and a.key = p_key;
  return query select false, found_one.fingerprint = p_fingerprint, found_one.status, found_one.headers, found_one.body;
end $$;

revoke all on function recollect.keys_exist, recollect.begin_answer from public;
grant execute on function recollect.keys_exist, recollect.begin_answer to recollect_server;
