-- The summary of a conversation in the context, where the window does not reach back to its beginning.

-- What a function returns cannot be changed in place.
drop function recollect.fetch_context(text, uuid, int, text, text, text, timestamptz, int, text);

-- The agent's settings, the notes, the newest messages, the summary if there is something older than those, and
-- the memories that could answer; no row if there is no such conversation.
create function recollect.fetch_context(
  p_tenant text, p_conversation uuid, p_window int, p_query text, p_vector text, p_model text, p_as_of timestamptz,
  p_nearest int, p_names text)
returns table (agent text, instructions text, budget int, notes text, summary text, messages json, memories json)
language plpgsql as $$
declare
  talk record;
  setting record;
  oldest bigint;
begin
  perform set_config('recollect.tenant', p_tenant, true);
  select c.user_id, c.agent into talk
  from recollect.conversations c where c.tenant = p_tenant and c.id = p_conversation;
  if not found then
    return;
  end if;
  select a.instructions, a.window_size, a.budget into setting
  from recollect.agents a where a.tenant = p_tenant and a.agent = talk.agent;
  agent := talk.agent;
  instructions := coalesce(setting.instructions, '');
  budget := coalesce(setting.budget, 2000);
  select n.text into notes
  from recollect.notes n where n.tenant = p_tenant and n.user_id = talk.user_id and n.agent = talk.agent;
  select coalesce(json_agg(recollect.message_record(m) order by m.seq), '[]'), min(m.seq) into messages, oldest
  from (
    select * from recollect.messages m where m.tenant = p_tenant and m.conversation = p_conversation
    order by m.seq desc limit coalesce(p_window, setting.window_size, 12)
  ) as m;
  -- A window of no messages reaches back to nothing: then everything is older.
  select d.summary into summary
  from recollect.digests d
  where d.tenant = p_tenant and d.conversation = p_conversation and d.summary is not null and exists (
    select from recollect.messages m
    where m.tenant = p_tenant and m.conversation = p_conversation and (oldest is null or m.seq < oldest));
  memories := recollect.find_memories(p_tenant, talk.user_id, talk.agent, p_query, p_vector, p_model, p_as_of,
                                      p_nearest, p_names);
  return next;
end $$;

revoke all on function recollect.fetch_context from public;
grant execute on function recollect.fetch_context to recollect_server;
