-- What others keep beside a message under the name "langchain" is none of LangChain's. Where it was no object, or a call of a
-- tool or a part was written in another way, langchain-postgres could not read the whole conversation.
-- recollect.adapters.langchain.messages does the same in Python.
create or replace function recollect.to_langchain(
  p_id uuid, p_role text, p_content text, p_parts jsonb, p_name text, p_tool_calls jsonb, p_tool_call_id text,
  p_metadata jsonb) returns jsonb
language plpgsql immutable parallel safe as $$
declare
  rest jsonb := case
    when jsonb_typeof(p_metadata -> 'langchain') = 'object'
      and coalesce(p_metadata -> 'langchain' ->> 'type', 'ai')
        ~ '^(human|ai|system|chat|function|tool|remove|[A-Za-z]+MessageChunk)$'
    then p_metadata -> 'langchain' end;
  kind text := coalesce(rest ->> 'type', case p_role when 'user' then 'human' when 'assistant' then 'ai' else p_role end);
  data jsonb := jsonb_build_object('type', kind, 'content', coalesce(
    jsonb_path_query_array(p_parts, 'strict $[*] ? (@.type() == "string" || @.type() == "object")'), to_jsonb(p_content)));
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
      select coalesce(jsonb_agg(jsonb_build_object('id', call ->> 'id',
               'name', case when jsonb_typeof(made -> 'name') = 'string' then made ->> 'name' else '' end,
               'args', recollect.lc_arguments(coalesce(made -> 'arguments', made -> 'args', made -> 'input')),
               'type', 'tool_call') order by place), '[]')
      from (select place, call, case jsonb_typeof(call -> 'function')
              when 'object' then call -> 'function'
              when 'string' then jsonb_build_object('name', call -> 'function')
              else call end as made
            from jsonb_array_elements(p_tool_calls) with ordinality as c(call, place)) as calls
      where jsonb_typeof(made) = 'object'));
  end if;
  return jsonb_build_object('type', kind, 'data', data || coalesce(rest - 'type', '{}'));
end $$;

-- A model that gives no arguments may write nothing at all.
create or replace function recollect.lc_arguments(p_given jsonb) returns jsonb
language plpgsql immutable parallel safe as $$
declare
  decoded jsonb := coalesce(p_given, '{}');
begin
  if jsonb_typeof(decoded) = 'string' then
    begin
      decoded := coalesce(nullif(btrim(decoded #>> '{}', E' \t\r\n'), ''), '{}')::jsonb;
    exception when others then
      null;
    end;
  end if;
  return case when jsonb_typeof(decoded) = 'object' then decoded else jsonb_build_object('arguments', decoded) end;
end $$;
