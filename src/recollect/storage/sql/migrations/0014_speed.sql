-- The two hot paths again, with less work for the server: an append in one function, and recall over memories.

-- One message in one round trip: the hottest statement of all, so its arguments are plain values. Without a key there
-- is nothing to look up first, and it does what take_numbers() does itself: a call inside of a call costs a tenth of it.
-- The tenant is set by an assignment, which is evaluated in place where "perform" would run a query.
create or replace function recollect.append_message(
  p_tenant text, p_conversation uuid, p_actor text, p_key text, p_fingerprint bytea, p_id uuid, p_again boolean,
  p_role text, p_content text, p_created timestamptz, p_name text, p_metadata jsonb, p_tool_calls jsonb,
  p_tool_call_id text, p_parts jsonb)
returns recollect.numbers
language plpgsql as $$
declare
  taken recollect.numbers;
  tenant_set text;
  number bigint;
  asked bigint;
  moment timestamptz;
  owner text;
  every int;
begin
  if p_key is not null or p_again then
    taken := recollect.take_numbers(p_tenant, p_conversation, p_key, p_fingerprint, array[p_id], p_again,
                                    1, case when p_role = 'user' then 1 else 0 end);
    if taken.outcome <> 'appended' then
      return taken;
    end if;
    number := taken.first;
    asked := taken.asked;
    moment := taken.stored_at;
  else
    tenant_set := set_config('recollect.tenant', p_tenant, true);
    update recollect.conversations -- the time is taken under the lock, so that it follows the order
    set last_seq = last_seq + 1,
        last_user_seq = case when p_role = 'user' then last_seq + 1 else last_user_seq end,
        message_count = message_count + 1,
        updated_at = clock_timestamp()
    where tenant = p_tenant and id = p_conversation
    returning last_seq, last_user_seq, updated_at, user_id, learn_every
    into number, asked, moment, owner, every;
    if not found then
      return row('missing', null, null, null, null)::recollect.numbers;
    end if;
    if every > 0 and number % every = 0 then
      perform recollect.mark_work(p_tenant, 'extract', p_conversation::text, owner);
    end if;
  end if;
  insert into recollect.messages (tenant, conversation, seq, id, answers, created_at, role, name, content,
                                  parts, tool_calls, tool_call_id, metadata, actor, words)
  values (p_tenant, p_conversation, number, p_id,
          case when p_role in ('assistant', 'tool') then nullif(asked, 0) end,
          coalesce(p_created, moment), p_role, p_name, p_content,
          p_parts, p_tool_calls, p_tool_call_id, p_metadata, p_actor,
          recollect.words_of(p_content));
  return row('appended', number, asked, moment, null)::recollect.numbers;
end $$;
