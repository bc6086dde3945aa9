-- The table of langchain-postgres, as a view: its class PostgresChatMessageHistory works on it unchanged.

-- How LangChain's messages are kept: what has a place here goes there, and the rest stays in the metadata under
-- "langchain", so that nothing is lost on the way back. recollect.adapters.langchain.messages does the same in Python.
create type recollect.lc_fields as (
  role text, content text, parts jsonb, name text, tool_calls jsonb, tool_call_id text, metadata jsonb);

-- Whether a text can be an id or a name here.
create function recollect.lc_name(p_given jsonb) returns boolean
language sql immutable parallel safe
return coalesce(jsonb_typeof(p_given) = 'string' and char_length(p_given #>> '{}') between 1 and 255
  and octet_length(p_given #>> '{}') <= 800 and btrim(p_given #>> '{}') <> ''
  and (p_given #>> '{}') !~ '[^[:alnum:][:punct:] ]', false);

create function recollect.from_langchain(p_message jsonb) returns recollect.lc_fields
language plpgsql immutable parallel safe as $$
declare
  given recollect.lc_fields;
  kind text := p_message ->> 'type';
  data jsonb := p_message -> 'data';
  rest jsonb;
  calls jsonb := data -> 'tool_calls';
begin
  if jsonb_typeof(data) is distinct from 'object' or kind is null then
    raise invalid_parameter_value using message = 'message: must be {"type": ..., "data": {...}}, as LangChain writes it';
  end if;
  given.role := case kind
    when 'human' then 'user' when 'HumanMessageChunk' then 'user'
    when 'ai' then 'assistant' when 'AIMessageChunk' then 'assistant'
    when 'tool' then 'tool' when 'ToolMessageChunk' then 'tool'
    when 'function' then 'tool' when 'FunctionMessageChunk' then 'tool'
    when 'chat' then case when data ->> 'role' in ('user', 'assistant', 'system', 'tool') then data ->> 'role' else 'user' end
    else 'system' end;
  rest := data - '{content,type}'::text[];
  if kind not in ('human', 'ai', 'system', 'tool') then
    rest := rest || jsonb_build_object('type', kind);
  end if;
  if jsonb_typeof(data -> 'content') = 'array' then
    given.parts := data -> 'content';
    select coalesce(string_agg(said, E'\n' order by place), '') into given.content
    from (select place, case jsonb_typeof(part) when 'string' then part #>> '{}'
                                                when 'object' then case when jsonb_typeof(part -> 'text') = 'string' then part ->> 'text' end
                        end as said
          from jsonb_array_elements(given.parts) with ordinality as p(part, place)) as parts
    where said <> '';
  else
    given.content := coalesce(data ->> 'content', '');
  end if;
  if recollect.lc_name(data -> 'name') then
    given.name := data ->> 'name';
    rest := rest - 'name';
  end if;
  if recollect.lc_name(data -> 'tool_call_id') then
    given.tool_call_id := data ->> 'tool_call_id';
    rest := rest - 'tool_call_id';
  end if;
  -- Calls as OpenAI writes them, which is how they are kept; unless that would lose something.
  if jsonb_typeof(calls) = 'array' and calls <> '[]' then
    select jsonb_agg(jsonb_build_object('id', call -> 'id', 'type', 'function', 'function', jsonb_build_object(
             'name', call -> 'name', 'arguments', (call -> 'args')::text)) order by place)
    into given.tool_calls
    from jsonb_array_elements(calls) with ordinality as c(call, place);
    if not exists (
      select from jsonb_array_elements(calls) as c(call)
      where call - '{name,args,id,type}'::text[] <> '{}' or coalesce(call ->> 'type', '') <> 'tool_call'
         or coalesce(jsonb_typeof(call -> 'args'), '') <> 'object' or not call ? 'id') then
      rest := rest - 'tool_calls';
    end if;
  end if;
  select coalesce(jsonb_object_agg(key, value), '{}') into rest from jsonb_each(rest)
  where not (value = 'null' and key in ('name', 'id', 'usage_metadata', 'artifact', 'tool_call_id'))
    and not (value = '{}' and key in ('additional_kwargs', 'response_metadata'))
    and not (value = '[]' and key in ('tool_calls', 'invalid_tool_calls'));
  given.metadata := jsonb_build_object('langchain', rest);
  if octet_length(given.content) > 1048576 or octet_length(given.metadata::text) > 65536 then
    raise program_limit_exceeded using message = 'message: at most 1 MiB of text and 64 KiB beside it are allowed';
  end if;
  return given;
end $$;

create function recollect.to_langchain(
  p_id uuid, p_role text, p_content text, p_parts jsonb, p_name text, p_tool_calls jsonb, p_tool_call_id text,
  p_metadata jsonb) returns jsonb
language plpgsql immutable parallel safe as $$
declare
  rest jsonb := p_metadata -> 'langchain';
  kind text := coalesce(rest ->> 'type', case p_role when 'user' then 'human' when 'assistant' then 'ai' else p_role end);
  data jsonb := jsonb_build_object('type', kind, 'content', coalesce(p_parts, to_jsonb(p_content)));
begin
  if rest is null then -- it was not LangChain that wrote it
    data := data || jsonb_build_object('id', p_id);
  end if;
  if p_name is not null then
    data := data || jsonb_build_object('name', p_name);
  end if;
  if p_tool_call_id is not null or kind = 'tool' then
    data := data || jsonb_build_object('tool_call_id', coalesce(p_tool_call_id, ''));
  end if;
  if p_tool_calls is not null and not coalesce(rest ? 'tool_calls', false) then
    data := data || jsonb_build_object('tool_calls', (
      select coalesce(jsonb_agg(jsonb_build_object('id', call -> 'id', 'name', coalesce(made ->> 'name', ''),
               'args', recollect.lc_arguments(coalesce(made -> 'arguments', made -> 'args', made -> 'input')),
               'type', 'tool_call') order by place), '[]')
      from (select place, call, coalesce(call -> 'function', call) as made
            from jsonb_array_elements(p_tool_calls) with ordinality as c(call, place)) as calls
      where jsonb_typeof(made) = 'object'));
  end if;
  return jsonb_build_object('type', kind, 'data', data || coalesce(rest - 'type', '{}'));
end $$;

-- The arguments of a call as an object, which LangChain insists on; a model may have written anything.
create function recollect.lc_arguments(p_given jsonb) returns jsonb
language plpgsql immutable parallel safe as $$
declare
  decoded jsonb := coalesce(p_given, '{}');
begin
  if jsonb_typeof(decoded) = 'string' then
    begin
      decoded := (decoded #>> '{}')::jsonb;
    exception when others then
      null;
    end;
  end if;
  return case when jsonb_typeof(decoded) = 'object' then decoded else jsonb_build_object('arguments', decoded) end;
end $$;

create view api.chat_message_history with (security_invoker = true) as
select m.seq as id, m.conversation as session_id,
       recollect.to_langchain(m.id, m.role, m.content, m.parts, m.name, m.tool_calls, m.tool_call_id, m.metadata) as message,
       m.created_at
from recollect.messages m where m.tenant = recollect.current_tenant();

-- A session that nobody knows begins a conversation: of the user and agent that the connection names (recollect.user,
-- recollect.agent), else of a user by the name of the session and the agent "langchain".
create function recollect.chat_message_history_insert() returns trigger
language plpgsql as $$
declare
  whose text := recollect.current_tenant();
  given recollect.lc_fields := recollect.from_langchain(new.message);
  taken recollect.numbers;
begin
  if whose is null then
    raise insufficient_privilege using message = 'this login has no tenant: alter role ... set recollect.tenant = ...';
  end if;
  for attempt in 1..2 loop
    taken := recollect.append_message(
      whose, new.session_id, session_user, null, null, gen_random_uuid(), false, given.role, given.content,
      new.created_at, given.name, given.metadata, given.tool_calls, given.tool_call_id, given.parts);
    exit when taken.outcome = 'appended';
    perform recollect.new_conversation(
      whose, coalesce(nullif(current_setting('recollect.user', true), ''), new.session_id::text),
      coalesce(nullif(current_setting('recollect.agent', true), ''), 'langchain'), new.session_id, null, session_user);
  end loop;
  new.id := taken.first;
  return new;
end $$;
create trigger chat_message_history_insert instead of insert on api.chat_message_history
  for each row execute function recollect.chat_message_history_insert();

-- A message less. With the last one goes what was made of them, as in every other way to clear a conversation.
create function recollect.chat_message_history_delete() returns trigger
language plpgsql as $$
declare
  whose text := recollect.current_tenant();
  left_over bigint;
begin
  update recollect.conversations c set message_count = greatest(message_count - 1, 0),
    last_user_seq = case when last_user_seq = old.id then 0 else last_user_seq end
  where tenant = whose and c.id = old.session_id returning message_count into left_over;
  delete from recollect.messages where tenant = whose and conversation = old.session_id and seq = old.id;
  if not found then
    return null;
  end if;
  if left_over = 0 then
    update recollect.digests set summary = null, summary_by = null, sentiment = null
    where tenant = whose and conversation = old.session_id;
    delete from recollect.work where tenant = whose and subject = old.session_id::text;
    insert into recollect.audit (tenant, actor, action, user_id, subject)
    select whose, session_user, 'conversation.clear', c.user_id, c.id::text
    from recollect.conversations c where c.tenant = whose and c.id = old.session_id;
  end if;
  return old;
end $$;
create trigger chat_message_history_delete instead of delete on api.chat_message_history
  for each row execute function recollect.chat_message_history_delete();

revoke all on function recollect.lc_name, recollect.from_langchain, recollect.to_langchain, recollect.lc_arguments,
  recollect.chat_message_history_insert, recollect.chat_message_history_delete from public;
grant execute on function recollect.lc_name, recollect.from_langchain, recollect.to_langchain, recollect.lc_arguments,
  recollect.chat_message_history_insert, recollect.chat_message_history_delete to recollect_server;
grant usage on schema api to recollect_server;
grant select, insert, delete on api.chat_message_history to recollect_server;
