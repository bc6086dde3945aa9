-- Appends of several callers in one round trip and one commit: each as append_message does it, in the order given. A
-- conversation that somebody else holds is passed over, so that nobody waits for a conversation that is not theirs; its
-- messages, and those of a conversation that is not there, are "busy", and are to be sent by themselves.
create function recollect.append_together(
  p_tenant text, p_conversations uuid[], p_actors text[], p_keys text[], p_fingerprints bytea[], p_ids uuid[],
  p_again boolean[], p_roles text[], p_contents text[], p_created timestamptz[], p_names text[], p_metadata jsonb[],
  p_tool_calls jsonb[], p_tool_call_ids text[], p_parts jsonb[])
returns setof recollect.numbers
language plpgsql as $$
declare
  tenant_set text := set_config('recollect.tenant', p_tenant, true);
  free uuid[] := array(
    select c.id from recollect.conversations c where c.tenant = p_tenant and c.id = any (p_conversations)
    for update skip locked);
  m record;
begin
  for m in
    select * from unnest(p_conversations, p_actors, p_keys, p_fingerprints, p_ids, p_again, p_roles, p_contents, p_created,
                         p_names, p_metadata, p_tool_calls, p_tool_call_ids, p_parts)
      as given(conversation, actor, key, fingerprint, id, again, role, content, created, name, metadata, tool_calls,
               tool_call_id, parts)
  loop
    if m.conversation = any (free) then
      return next recollect.append_message(
        p_tenant, m.conversation, m.actor, m.key, m.fingerprint, m.id, m.again, m.role, m.content, m.created, m.name,
        m.metadata, m.tool_calls, m.tool_call_id, m.parts);
    else
      return next row('busy', null, null, null, null)::recollect.numbers;
    end if;
  end loop;
end $$;

revoke all on function recollect.append_together from public;
grant execute on function recollect.append_together to recollect_server;

-- Whatever writes messages holds their conversation's row until it commits (take_numbers updates it, a restore has made
-- it), so it cannot be gone. A foreign key looks for it once more for each message, which was a fifth of an append. What
-- it also did, removing messages with their conversation, a trigger does: who deletes a conversation waits for those who
-- hold it, and whoever comes later finds none.
alter table recollect.messages drop constraint messages_tenant_conversation_fkey;
create function recollect.delete_messages_of_conversation() returns trigger
language plpgsql as $$
begin
  delete from recollect.messages m where m.tenant = old.tenant and m.conversation = old.id;
  return null;
end $$;
create trigger delete_messages after delete on recollect.conversations
  for each row execute function recollect.delete_messages_of_conversation();

revoke all on function recollect.delete_messages_of_conversation from public;
grant execute on function recollect.delete_messages_of_conversation to recollect_server;
