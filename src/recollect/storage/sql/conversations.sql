-- Every query runs in a transaction that has set the tenant. The tenant is named again in each
-- condition: the wall stands in the code and in row level security.

-- name: set_tenant
-- Local to the transaction: a setting of the session would leak to the pool's next borrower.
select set_config('recollect.tenant', $1, true);

-- name: append_message
select * from recollect.append_message($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15);

-- name: append_together
select * from recollect.append_together($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15);

-- name: append_messages
select * from recollect.append_messages($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17);

-- name: recent_messages
-- The newest messages, newest first. How many there are is worked out before any is looked up, so the tenant is set
-- there: a step less than a join with it, of the few that there are. Were it set later, row level security would show
-- none.
select seq, id::text, role, content, created_at, name, metadata, tool_calls, tool_call_id, parts, answers
from recollect.messages where tenant = $1 and conversation = $2
order by seq desc limit case set_config('recollect.tenant', $1, true) when $1 then $3::bigint else 0 end;

-- name: recent_messages_together
-- The same for several conversations; the last column says for which of them. The rows hang on the line that sets the
-- tenant, so they are looked up after it.
select m.*, w.place from (select set_config('recollect.tenant', $1, true) as tenant) t
cross join unnest($2::uuid[], $3::bigint[]) with ordinality as w(conversation, amount, place)
cross join lateral (
  select seq, id::text, role, content, created_at, name, metadata, tool_calls, tool_call_id, parts, answers
  from recollect.messages where tenant = t.tenant and conversation = w.conversation
  order by seq desc limit w.amount) m;

-- name: recent_messages_since
-- The same for a window of time; the second condition on it lets the planner use the index by time.
select seq, id::text, role, content, created_at, name, metadata, tool_calls, tool_call_id, parts, answers
from recollect.messages where tenant = $1 and conversation = $2 and created_at >= $4 and created_at > '-infinity'
order by seq desc limit case set_config('recollect.tenant', $1, true) when $1 then $3::bigint else 0 end;

-- name: active_conversation
select * from recollect.active_conversation($1, $2, $3, $4, $5);

-- name: active_conversation_there
-- The same, but nothing is made.
select c.* from recollect.active_conversations a
join recollect.conversations c on c.tenant = a.tenant and c.id = a.conversation
where a.tenant = $1 and a.user_id = $2 and a.agent = $3;

-- name: new_conversation
select * from recollect.new_conversation($1, $2, $3, $4, $5, $6);

-- name: conversation_by_id
select * from recollect.conversations where tenant = $1 and id = $2;

-- name: conversation_at_once
-- The same in one round trip: almost every request over HTTP begins with it.
select c.* from (select set_config('recollect.tenant', $1, true) as tenant) t cross join lateral (
  select * from recollect.conversations where tenant = t.tenant and id = $2) c;

-- name: conversations_of_user
-- Newest activity first; the cursor is the last row's (updated_at, id).
select * from recollect.conversations
where tenant = $1 and user_id = $2
  and ($3::text is null or agent = $3)
  and (archived_at is not null) = $4
  and ($5::timestamptz is null or (updated_at, id) < ($5, $6::uuid))
order by updated_at desc, id desc
limit $7;

-- name: rename_conversation
update recollect.conversations set title = $3, updated_at = clock_timestamp()
where tenant = $1 and id = $2 returning *;

-- name: archive_conversation
update recollect.conversations
set archived_at = case when $3 then coalesce(archived_at, clock_timestamp()) end, updated_at = clock_timestamp()
where tenant = $1 and id = $2 returning *;

-- name: leave_conversation
-- An archived conversation is not the one that its user and agent go on with.
delete from recollect.active_conversations where tenant = $1 and conversation = $2;

-- name: activate_conversation
insert into recollect.active_conversations as a (tenant, user_id, agent, conversation)
select tenant, user_id, agent, id from recollect.conversations
where tenant = $1 and id = $2 and archived_at is null for update
on conflict (tenant, user_id, agent) do update set conversation = excluded.conversation, last_active_at = now()
returning conversation;

-- name: clear_conversation
-- Numbers are not used again: a memory or a cache may still speak of the old ones.
update recollect.conversations set message_count = 0, last_user_seq = 0, updated_at = clock_timestamp()
where tenant = $1 and id = $2 returning *;

-- name: delete_messages
delete from recollect.messages where tenant = $1 and conversation = $2;

-- name: lock_conversation_row
select * from recollect.conversations where tenant = $1 and id = $2 for update;

-- name: delete_newest_message
delete from recollect.messages m
where m.tenant = $1 and m.conversation = $2 and m.seq = (
  select max(n.seq) from recollect.messages n where n.tenant = $1 and n.conversation = $2)
returning seq, id::text, role, content, created_at, name, metadata, tool_calls, tool_call_id, parts, answers;

-- name: delete_work_of_conversation
delete from recollect.work where tenant = $1 and subject = $2;

-- name: delete_conversation
delete from recollect.conversations where tenant = $1 and id = $2 returning *;

-- name: messages_after
-- A page of history, oldest first.
select seq, id::text, role, content, created_at, name, metadata, tool_calls, tool_call_id, parts, answers
from recollect.messages
where tenant = $1 and conversation = $2 and seq > $3
order by seq
limit $4;

-- name: messages_before
-- A page of history that goes back in time, newest first.
select seq, id::text, role, content, created_at, name, metadata, tool_calls, tool_call_id, parts, answers
from recollect.messages
where tenant = $1 and conversation = $2 and seq < $3
order by seq desc
limit $4;

-- name: search_messages
-- All messages of one user that match, best first. The words are compared row by row within the user's
-- own conversations: under row level security no index on words may be used, and none is needed. Only where a message
-- is so long that its words lack places that matter, or are not all there, its text is read; 255 times the same word
-- cannot be said in less than 384 bytes. How near the words stand to each other counts only where they are few: to compare
-- hundreds with all their places takes the store seconds for each message.
select m.seq, m.id::text, m.role, m.content, m.created_at, m.name, m.metadata, m.tool_calls,
       m.tool_call_id, m.parts, m.answers, m.conversation,
       coalesce(
         case when numnode(q.wanted) < 64 then nullif(ts_rank_cd(m.words, q.wanted, 1 | 32), 0) end,
         ts_rank(m.words, q.possible, 1 | 32)) as score
from (select * from recollect.question_of($4) offset 0) q, -- offset: computed once, not for every row
     recollect.conversations c
     join recollect.messages m on m.tenant = c.tenant and m.conversation = c.id
where c.tenant = $1 and c.user_id = $2
  and ($3::text is null or c.agent = $3)
  and m.words @@ q.possible
  and case
    when octet_length(m.content) >= 384 and (m.words @@ '''and more''' or exists (
      select from unnest(ts_filter(setweight(m.words, 'A', q.phrased), '{a}')) w
      where cardinality(w.positions) = 255 or w.positions[cardinality(w.positions)] = 16383))
    then recollect.found_in(m.content, q.parts, q.asked)
    else m.words @@ q.wanted
  end
order by score desc, m.created_at desc, m.conversation, m.seq desc
limit $5;

-- name: record_audit
insert into recollect.audit (tenant, actor, action, user_id, subject) values ($1, $2, $3, $4, $5);
