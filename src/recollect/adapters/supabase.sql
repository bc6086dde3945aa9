-- Let PostgREST, and so supabase-py, reach the views of schema api. Run it once, as an administrator of the database, after
-- `recollect migrate`, and again after each upgrade of Recollect. On a Supabase project the roles are there already.
--
-- Then expose the schema: on Supabase, add "api" to the exposed schemas (Settings, API); elsewhere, db-schemas = "api" in
-- the configuration of PostgREST. No function of its own has to be called before a request (db-pre-request).
--
-- The tenant of a request is app_metadata.tenant in its token. A project that is one tenant binds its login to it instead:
--   alter role authenticator set recollect.tenant = 'acme';
-- A key without app_metadata, such as Supabase's service key, works for that tenant then; without either, it sees nothing.

do $$
begin
  if not exists (select from pg_roles where rolname = 'anon') then
    create role anon nologin noinherit;
  end if;
  if not exists (select from pg_roles where rolname = 'authenticated') then
    create role authenticated nologin noinherit;
  end if;
  if not exists (select from pg_roles where rolname = 'service_role') then
    create role service_role nologin noinherit;
  end if;
  -- The login of PostgREST. It may only become one of the others; give it a password.
  if not exists (select from pg_roles where rolname = 'authenticator') then
    create role authenticator login noinherit;
    grant anon, authenticated, service_role to authenticator;
  end if;
  if pg_has_role('authenticated', 'recollect_server', 'member') or pg_has_role('service_role', 'recollect_server', 'member')
     or pg_has_role('anon', 'recollect_server', 'member') or pg_has_role('authenticator', 'recollect_server', 'member') then
    raise exception 'revoke recollect_server from anon, authenticated, service_role and authenticator: who has it names the tenant';
  end if;
end $$;

begin;
set local role recollect_owner;

grant usage on schema api to anon;
grant usage on schema recollect, api to authenticated, service_role;
grant execute on function recollect.current_tenant, recollect.asker, recollect.asker_is_ours, recollect.asker_claims,
  recollect.bound_tenant, recollect.asking_tenant, recollect.asking_user to authenticated, service_role;

-- What the views read. Nothing is written to these tables but by the triggers of the views.
grant select on recollect.conversations, recollect.messages, recollect.active_conversations, recollect.memories,
  recollect.notes, recollect.digests to authenticated, service_role;
grant select, insert, delete on api.conversation_messages to authenticated, service_role;
grant select, insert, update on api.user_agent_active_sessions to authenticated, service_role;
grant select, insert, update, delete on api.agent_long_term_memory to authenticated, service_role;
grant select, delete on api.agent_memories to authenticated, service_role;
grant select on api.conversation_memories to authenticated, service_role;

-- tenant_wall believes a setting. For these roles a second wall, which nothing opens, believes the token alone; the first
-- one would hide everything from them, so beside it stands a policy that lets them come as far as the second.
do $$
declare
  name text;
  own text;
begin
  foreach name in array array['conversations', 'active_conversations', 'memories', 'notes', 'messages', 'digests'] loop
    own := case when name in ('messages', 'digests')
      then format('exists (select from recollect.conversations c where c.tenant = %1$I.tenant and c.id = %1$I.conversation)', name)
      else 'user_id = (select recollect.asking_user())' end;
    execute format('drop policy if exists api_read on recollect.%I', name);
    execute format('drop policy if exists api_wall on recollect.%I', name);
    execute format('drop policy if exists api_wall_of_services on recollect.%I', name);
    execute format('create policy api_read on recollect.%I for select to authenticated, service_role using (true)', name);
    -- Two policies, and not one with "or": that would read all users of a tenant to find one.
    execute format('create policy api_wall on recollect.%I as restrictive to anon, authenticated
                    using (tenant = recollect.asking_tenant() and %s)', name, own);
    execute format('create policy api_wall_of_services on recollect.%I as restrictive to service_role
                    using (tenant = recollect.asking_tenant())', name);
  end loop;
end $$;
commit;

notify pgrst, 'reload schema';
