-- The tables that clients of Supabase know, as views over the one store. They are read and written through PostgREST.
-- Roles, grants and the policies of those roles are in recollect/adapters/supabase.sql: here they may not exist.


-- Who asks ----------------------------------------------------------------------------------------

-- The role that a request took, also inside a function that runs as its owner.
create function recollect.asker() returns text
language sql stable parallel safe
return case when current_setting('role', true) in ('none', '') then session_user::text
            else coalesce(current_setting('role', true), session_user::text) end;

-- Our own logins say their tenant by a setting. Everybody else is known by the claims of a token, and never by a setting.
create function recollect.asker_is_ours() returns boolean
language sql stable parallel safe
return pg_has_role(recollect.asker(), 'recollect_server', 'usage');

-- What PostgREST read from a token after it had checked its signature.
create function recollect.asker_claims() returns jsonb
language sql stable parallel safe
return nullif(current_setting('request.jwt.claims', true), '')::jsonb;

-- The tenant that the login is bound to: alter role authenticator set recollect.tenant = '...'. It is read where it was
-- written down, because the setting itself can be changed within a session.
create function recollect.bound_tenant() returns text
language sql stable parallel safe
return (
  select substr(entry, length('recollect.tenant=') + 1)
  from pg_catalog.pg_db_role_setting s join pg_catalog.pg_roles r on r.oid = s.setrole, unnest(s.setconfig) as entry
  where r.rolname = session_user and entry like 'recollect.tenant=%'
    and s.setdatabase in (0, (select d.oid from pg_catalog.pg_database d where d.datname = current_database()))
  order by s.setdatabase desc limit 1);

-- The tenant of whoever asks; null, which matches no row, where the token and the login disagree.
create function recollect.asking_tenant() returns text
language plpgsql stable parallel safe as $$
declare
  bound text;
  claimed text;
begin
  if recollect.asker_is_ours() then
    return recollect.current_tenant();
  end if;
  bound := nullif(recollect.bound_tenant(), '');
  -- app_metadata is written by the issuer only; user_metadata by the users themselves, and means nothing here.
  claimed := nullif(recollect.asker_claims() #>> '{app_metadata,tenant}', '');
  return case when bound is null or claimed is null or bound = claimed then coalesce(bound, claimed) end;
end $$;

-- Whether all users of the tenant are open to whoever asks.
create function recollect.asking_for_all() returns boolean
language sql stable parallel safe
return recollect.asker() = 'service_role' or recollect.asker_is_ours();

create function recollect.asking_user() returns text
language sql stable parallel safe
return nullif(recollect.asker_claims() ->> 'sub', '');

-- What the audit calls them.
create function recollect.asking_actor() returns text
language sql stable parallel safe
return case when recollect.asker_is_ours() then session_user::text
            when recollect.asker() = 'service_role' then 'service:supabase'
            else left('user:' || recollect.asking_user(), 255) end;

-- For whom something is written: the user that is named, if whoever asks may; by default themselves.
create function recollect.written_for(p_user text) returns text
language plpgsql stable as $$
declare
  whose text := coalesce(p_user, recollect.asking_user(), nullif(current_setting('recollect.user', true), ''));
begin
  if recollect.asking_tenant() is null then
    raise insufficient_privilege using message = 'this request has no tenant: its token must name one in app_metadata.tenant, or the login be bound to one';
  elsif not recollect.asking_for_all() and whose is distinct from recollect.asking_user() then
    raise insufficient_privilege using message = 'what belongs to another user cannot be written';
  elsif whose is null or not recollect.lc_name(to_jsonb(whose)) then
    raise invalid_parameter_value using message = 'user_id: must be 1 to 255 printable characters';
  end if;
  return whose;
end $$;


-- conversation_messages ---------------------------------------------------------------------------

-- seq is the order: several messages may have one time.
create view api.conversation_messages with (security_invoker = true) as
select m.id, m.conversation as session_id, m.role, m.content, coalesce(m.metadata, '{}') as metadata, m.created_at, m.seq,
       m.tenant as tenant_id
from recollect.messages m where m.tenant = recollect.asking_tenant();

-- A session that nobody knows begins a conversation: of the user that asks. A service names a user beforehand, in
-- user_agent_active_sessions; else the user has the name of the session.
create function recollect.conversation_messages_insert() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  whose text := recollect.asking_tenant();
  owner text;
  taken recollect.numbers;
begin
  if new.session_id is null or new.content is null then
    raise not_null_violation using message = 'session_id and content must be given';
  elsif new.role is null or new.role not in ('user', 'assistant', 'system', 'tool') then
    raise check_violation using message = 'role: must be user, assistant, system or tool';
  elsif octet_length(new.content) > 1048576 or octet_length(new.metadata::text) > 65536 then
    raise program_limit_exceeded using message = 'at most 1 MiB of content and 64 KiB of metadata are allowed';
  elsif jsonb_typeof(new.metadata) not in ('object', 'null') then
    raise invalid_parameter_value using message = 'metadata: must be an object';
  end if;
  new.id := coalesce(new.id, gen_random_uuid());
  for attempt in 1..2 loop
    perform set_config('recollect.tenant', coalesce(whose, ''), true);
    select c.user_id into owner from recollect.conversations c where c.tenant = whose and c.id = new.session_id;
    if not found then
      owner := recollect.written_for(case when recollect.asking_user() is null
        then coalesce(nullif(current_setting('recollect.user', true), ''), new.session_id::text) end);
      perform recollect.new_conversation(
        whose, owner, coalesce(nullif(current_setting('recollect.agent', true), ''), 'supabase'), new.session_id, null,
        recollect.asking_actor());
      continue when attempt = 1;
    end if;
    perform recollect.written_for(owner);
    taken := recollect.append_message(
      whose, new.session_id, recollect.asking_actor(), null, null, new.id, false, new.role, new.content, new.created_at,
      null, nullif(nullif(new.metadata, '{}'), 'null'), null, null, null);
    exit;
  end loop;
  if taken.outcome is distinct from 'appended' then
    raise serialization_failure using message = 'the session was deleted at this moment; repeat the request';
  end if;
  new.seq := taken.first;
  new.created_at := coalesce(new.created_at, taken.stored_at);
  new.metadata := coalesce(nullif(new.metadata, 'null'), '{}');
  new.tenant_id := whose;
  return new;
end $$;
create trigger conversation_messages_insert instead of insert on api.conversation_messages
  for each row execute function recollect.conversation_messages_insert();

-- Only rows that whoever asks can see come here. The conversation is locked, and put right once at the end of the statement:
-- changed for each message, it would leave as many dead versions for the next change to read.
create function recollect.conversation_messages_delete() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  whose text := recollect.asking_tenant();
  owner text;
  touched text := coalesce(current_setting('recollect.touched', true), '');
begin
  perform set_config('recollect.tenant', coalesce(whose, ''), true);
  select c.user_id into owner from recollect.conversations c
  where c.tenant = whose and c.id = old.session_id for update;
  if not found then
    return null;
  end if;
  perform recollect.written_for(owner);
  delete from recollect.messages m where m.tenant = whose and m.conversation = old.session_id and m.seq = old.seq;
  if not found then
    return null;
  end if;
  if right(touched, 37) <> ' ' || old.session_id then
    perform set_config('recollect.touched', touched || ' ' || old.session_id, true);
  end if;
  return old;
end $$;
create trigger conversation_messages_delete instead of delete on api.conversation_messages
  for each row execute function recollect.conversation_messages_delete();

-- Count again: whoever wrote the setting, the result is what is stored. With the last message goes what was made of them.
create function recollect.conversation_messages_settle() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  whose text := recollect.asking_tenant();
  touched uuid[] := string_to_array(btrim(current_setting('recollect.touched', true)), ' ')::uuid[];
  held recollect.conversations;
begin
  perform set_config('recollect.touched', '', true);
  perform set_config('recollect.tenant', coalesce(whose, ''), true);
  for held in
    update recollect.conversations c
    set message_count = (select count(*) from recollect.messages m where m.tenant = whose and m.conversation = c.id),
        last_user_seq = case when exists (
          select from recollect.messages m
          where m.tenant = whose and m.conversation = c.id and m.seq = c.last_user_seq) then last_user_seq else 0 end
    where c.tenant = whose and c.id = any (touched) returning c.*
  loop
    continue when held.message_count > 0;
    update recollect.digests set summary = null, summary_by = null, sentiment = null
    where tenant = whose and conversation = held.id;
    delete from recollect.work where tenant = whose and subject = held.id::text;
    insert into recollect.audit (tenant, actor, action, user_id, subject)
    values (whose, recollect.asking_actor(), 'conversation.clear', held.user_id, held.id::text);
  end loop;
  return null;
end $$;
create trigger conversation_messages_settle after delete on api.conversation_messages
  for each statement execute function recollect.conversation_messages_settle();


-- user_agent_active_sessions ----------------------------------------------------------------------

create view api.user_agent_active_sessions with (security_invoker = true) as
select a.user_id, a.agent as agent_name, a.conversation as active_session_id, a.last_active_at, a.created_at
from recollect.active_conversations a where a.tenant = recollect.asking_tenant();

-- An insert is an upsert: the session becomes the active one of this user and agent, and begins if nobody knows it.
create function recollect.active_sessions_write() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  whose text := recollect.asking_tenant();
  owner text := recollect.written_for(new.user_id);
  held recollect.conversations;
begin
  if not recollect.lc_name(to_jsonb(new.agent_name)) then
    raise invalid_parameter_value using message = 'agent_name: must be 1 to 255 printable characters';
  elsif tg_op = 'UPDATE' and (new.user_id, new.agent_name) is distinct from (old.user_id, old.agent_name) then
    raise invalid_parameter_value using message = 'user_id and agent_name cannot be changed; insert a row for the others';
  end if;
  perform set_config('recollect.tenant', whose, true);
  new.active_session_id := coalesce(new.active_session_id, gen_random_uuid());
  select * into held from recollect.conversations c where c.tenant = whose and c.id = new.active_session_id;
  if not found then
    perform recollect.new_conversation(whose, owner, new.agent_name, new.active_session_id, null, recollect.asking_actor());
  elsif (held.user_id, held.agent) is distinct from (owner, new.agent_name) then
    raise insufficient_privilege using message = 'this session belongs to another user or agent';
  end if;
  insert into recollect.active_conversations as a (tenant, user_id, agent, conversation)
  values (whose, owner, new.agent_name, new.active_session_id)
  on conflict (tenant, user_id, agent) do update set conversation = excluded.conversation, last_active_at = now()
  returning a.user_id, a.last_active_at, a.created_at into new.user_id, new.last_active_at, new.created_at;
  return new;
end $$;
create trigger active_sessions_write instead of insert or update on api.user_agent_active_sessions
  for each row execute function recollect.active_sessions_write();


-- agent_long_term_memory --------------------------------------------------------------------------

create view api.agent_long_term_memory with (security_invoker = true) as
select md5(n.tenant || e'\n' || n.user_id || e'\n' || n.agent)::uuid as id, n.user_id, n.agent as agent_name, n.text as notes,
       n.created_at, n.updated_at, n.version
from recollect.notes n where n.tenant = recollect.asking_tenant();

-- The notes as a whole, as the operation "overwrite" of the tool writes them; deleting them is a version too.
create function recollect.write_notes(
  p_tenant text, p_user text, p_agent text, p_text text, p_operation text, p_actor text) returns recollect.notes
language plpgsql as $$
declare
  held recollect.notes;
begin
  perform set_config('recollect.tenant', p_tenant, true);
  insert into recollect.tenants (tenant) values (p_tenant) on conflict do nothing;
  insert into recollect.notes (tenant, user_id, agent) values (p_tenant, p_user, p_agent) on conflict do nothing;
  select * into held from recollect.notes n
  where n.tenant = p_tenant and n.user_id = p_user and n.agent = p_agent for update;
  if held.text = p_text then
    return held;
  end if;
  update recollect.notes n set text = p_text, version = version + 1, updated_at = clock_timestamp()
  where n.tenant = p_tenant and n.user_id = p_user and n.agent = p_agent returning * into held;
  insert into recollect.note_versions (tenant, user_id, agent, version, text, operation, actor, created_at)
  values (p_tenant, p_user, p_agent, held.version, p_text, p_operation, p_actor, held.updated_at);
  insert into recollect.audit (tenant, actor, action, user_id, subject)
  values (p_tenant, p_actor, 'notes.' || p_operation, p_user, p_agent);
  return held;
end $$;

create function recollect.long_term_memory_write() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  owner text;
  held recollect.notes;
begin
  if tg_op = 'DELETE' then
    owner := recollect.written_for(old.user_id);
    perform recollect.write_notes(
      recollect.asking_tenant(), owner, old.agent_name, '', 'delete_all_notes', recollect.asking_actor());
    return old;
  end if;
  owner := recollect.written_for(new.user_id);
  if not recollect.lc_name(to_jsonb(new.agent_name)) then
    raise invalid_parameter_value using message = 'agent_name: must be 1 to 255 printable characters';
  elsif octet_length(new.notes) > 65536 then
    raise program_limit_exceeded using message = 'notes: at most 64 KiB are allowed';
  elsif tg_op = 'UPDATE' and (new.user_id, new.agent_name) is distinct from (old.user_id, old.agent_name) then
    raise invalid_parameter_value using message = 'user_id and agent_name cannot be changed; insert a row for the others';
  elsif tg_op = 'UPDATE' and new.version is distinct from old.version then
    raise invalid_parameter_value using message = 'version: cannot be written';
  end if;
  held := recollect.write_notes(
    recollect.asking_tenant(), owner, new.agent_name, coalesce(new.notes, ''), 'overwrite', recollect.asking_actor());
  new.id := md5(held.tenant || e'\n' || owner || e'\n' || held.agent)::uuid;
  new.user_id := owner;
  new.notes := held.text;
  new.version := held.version;
  new.created_at := held.created_at;
  new.updated_at := held.updated_at;
  return new;
end $$;
create trigger long_term_memory_write instead of insert or update or delete on api.agent_long_term_memory
  for each row execute function recollect.long_term_memory_write();


-- agent_memories, conversation_memories ------------------------------------------------------------

-- A memory is written by the server, which has the model that its vector comes from; here it is read and forgotten.
create view api.agent_memories with (security_invoker = true) as
select m.id, m.agent as agent_name, m.user_id, m.key_point, coalesce(m.context, '{}') as context,
       m.embedding::text as vector_embedding, m.created_at, m.updated_at, m.update_count, m.category, m.importance, m.pool,
       m.conversation as session_id
from recollect.memories m
where m.tenant = recollect.asking_tenant() and m.status = 'active' and m.valid_from <= clock_timestamp()
  and (m.expires_at is null or m.expires_at > clock_timestamp());

create function recollect.agent_memories_delete() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  whose text := recollect.asking_tenant();
begin
  perform recollect.written_for(old.user_id);
  perform set_config('recollect.tenant', whose, true);
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
create trigger agent_memories_delete instead of delete on api.agent_memories
  for each row execute function recollect.agent_memories_delete();

create view api.conversation_memories with (security_invoker = true) as
select c.tenant as tenant_id, c.id as conversation_id,
       (select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'role', m.role, 'content', m.content,
                 'created_at', m.created_at, 'metadata', coalesce(m.metadata, '{}')) order by m.seq), '[]')
        from recollect.messages m where m.tenant = c.tenant and m.conversation = c.id) as messages,
       jsonb_build_object('user_id', c.user_id, 'agent', c.agent, 'title', c.title, 'status', c.status,
         'message_count', c.message_count, 'summary', d.summary, 'sentiment', d.sentiment) as metadata,
       c.created_at, c.updated_at
from recollect.conversations c
left join recollect.digests d on d.tenant = c.tenant and d.conversation = c.id
where c.tenant = recollect.asking_tenant();


-- Rights ------------------------------------------------------------------------------------------

revoke all on function recollect.asker, recollect.asker_is_ours, recollect.asker_claims, recollect.bound_tenant,
  recollect.asking_tenant, recollect.asking_for_all, recollect.asking_user, recollect.asking_actor, recollect.written_for,
  recollect.write_notes, recollect.conversation_messages_insert, recollect.conversation_messages_delete,
  recollect.conversation_messages_settle,
  recollect.active_sessions_write, recollect.long_term_memory_write, recollect.agent_memories_delete from public;
grant execute on function recollect.asker, recollect.asker_is_ours, recollect.asker_claims, recollect.bound_tenant,
  recollect.asking_tenant, recollect.asking_for_all, recollect.asking_user, recollect.asking_actor, recollect.written_for,
  recollect.write_notes, recollect.conversation_messages_insert, recollect.conversation_messages_delete,
  recollect.conversation_messages_settle,
  recollect.active_sessions_write, recollect.long_term_memory_write, recollect.agent_memories_delete to recollect_server;
grant select, insert, delete on api.conversation_messages to recollect_server;
grant select, insert, update on api.user_agent_active_sessions to recollect_server;
grant select, insert, update, delete on api.agent_long_term_memory to recollect_server;
grant select, delete on api.agent_memories to recollect_server;
grant select on api.conversation_memories to recollect_server;
