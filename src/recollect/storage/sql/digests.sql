-- What a conversation comes to: its rolling summary, and how its user feels.

-- name: digest_of
-- A conversation that was never digested has a row too, with nothing in it. Its last message is the last that is there: of one
-- that is just being imported, others will come below the last number.
select coalesce((select max(m.seq) from recollect.messages m where m.tenant = c.tenant and m.conversation = c.id), 0) as last_seq,
       d.summary, coalesce(d.summary_seq, 0) as summary_seq, d.summary_by, d.sentiment,
       coalesce(d.sentiment_seq, 0) as sentiment_seq
from recollect.conversations c
left join recollect.digests d on d.tenant = c.tenant and d.conversation = c.id
where c.tenant = $1 and c.id = $2;

-- name: messages_to_summarise
-- What people said after one number and up to another, oldest first; of a very long message only its beginning.
select seq, id::text, role, left(content, $6) as content, created_at, name, null as metadata, null as tool_calls,
       null as tool_call_id, null as parts, answers
from recollect.messages
where tenant = $1 and conversation = $2 and seq > $3 and seq <= $4 and role in ('user', 'assistant')
order by seq
limit $5;

-- name: messages_to_feel
-- What the user said last, newest first, up to a number.
select seq, id::text, role, left(content, $5) as content, created_at, name, null as metadata, null as tool_calls,
       null as tool_call_id, null as parts, answers
from recollect.messages
where tenant = $1 and conversation = $2 and seq <= $3 and role = 'user'
order by seq desc
limit $4;

-- name: store_digest
-- Only on top of the summary that it was made from, $3: whoever was slower than another, or than clear(), comes too
-- late. No row then, nor without the conversation.
insert into recollect.digests as d (tenant, conversation, summary, summary_seq, summary_by, sentiment, sentiment_seq)
select c.tenant, c.id, $4, $5, $6, $7, $5
from recollect.conversations c
where c.tenant = $1 and c.id = $2 and ($3::bigint = 0 or exists (
  select from recollect.digests e where e.tenant = c.tenant and e.conversation = c.id))
for key share
on conflict (tenant, conversation) do update
set summary = excluded.summary, summary_seq = excluded.summary_seq, summary_by = excluded.summary_by,
    sentiment = excluded.sentiment, sentiment_seq = excluded.sentiment_seq, updated_at = clock_timestamp()
where d.summary_seq = $3
returning summary_seq;

-- name: empty_digest
-- What was made of messages goes with them. The numbers move on, so that whoever is making a summary of them at this
-- moment comes too late.
insert into recollect.digests as d (tenant, conversation, summary_seq, sentiment_seq)
select tenant, id, last_seq, last_seq from recollect.conversations where tenant = $1 and id = $2
on conflict (tenant, conversation) do update
set summary = null, summary_by = null, summary_seq = excluded.summary_seq,
    sentiment = null, sentiment_seq = excluded.sentiment_seq, updated_at = clock_timestamp();
