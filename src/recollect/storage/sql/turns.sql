-- Turns and the outbox. Every query but begin_turn runs in a transaction that has set the tenant.

-- name: begin_turn
select * from recollect.begin_turn($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: keep_turn
update recollect.turns set leased_until = clock_timestamp() + make_interval(secs => $5)
where tenant = $1 and conversation = $2 and id = $3 and token = $4 and status = 'running'
returning token;

-- name: standing_of_turn
-- Whether a turn is still ours, asked when its conversation is locked: a statement that waits for the lock itself sees
-- what was there before it waited.
select status, token = $4 as ours from recollect.turns where tenant = $1 and conversation = $2 and id = $3;

-- name: finish_turn
update recollect.turns
set status = 'done', leased_until = null, ended_at = clock_timestamp(), first_seq = $5, last_seq = $6, model = $7,
    tokens = $8, problems = problems || $9::jsonb, seconds = $10, known = $11
where tenant = $1 and conversation = $2 and id = $3 and token = $4;

-- name: answer_earlier_message
-- A turn that was taken up again late answers what its user said then, and not what was said since.
update recollect.messages set answers = $3
where tenant = $1 and conversation = $2 and seq between $4 and $5 and answers is distinct from $3;

-- name: fail_turn
update recollect.turns
set status = 'failed', leased_until = null, ended_at = clock_timestamp(), model = $5, tokens = $6,
    problems = problems || $7::jsonb, seconds = $8
where tenant = $1 and conversation = $2 and id = $3 and token = $4 and status = 'running';

-- name: turn_by_id
select * from recollect.turns where tenant = $1 and conversation = $2 and id = $3;

-- name: turn_of_reply
-- The turn that one of these messages came of.
select * from recollect.turns
where tenant = $1 and conversation = $2 and status = 'done' and $3 between first_seq and last_seq
order by started_at desc limit 1;

-- name: turns_of_conversation
-- Newest first.
select * from recollect.turns where tenant = $1 and conversation = $2
order by user_seq desc, started_at desc limit $3;

-- name: messages_between
select seq, id::text, role, content, created_at, name, metadata, tool_calls, tool_call_id, parts, answers
from recollect.messages
where tenant = $1 and conversation = $2 and seq between $3 and $4
order by seq;

-- name: newest_turn
-- What follows a message ($3), oldest first; or else the last user message with what follows it and five before it.
select seq, id::text, role, content, created_at, name, metadata, tool_calls, tool_call_id, parts, answers
from recollect.messages
where tenant = $1 and conversation = $2 and seq > coalesce($3, (
  select seq - 6 from recollect.messages where tenant = $1 and conversation = $2 and role = 'user'
  order by seq desc limit 1), 0)
order by seq
limit 1000;

-- name: record_turn
-- A turn that somebody else had with a model.
insert into recollect.turns (tenant, conversation, id, fingerprint, status, user_seq, first_seq, last_seq, model, tokens,
                             problems, seconds, started_at, ended_at)
values ($1, $2, $3, $4, 'done', $5, $6, $6, $7, $8, $9, $10,
        clock_timestamp() - make_interval(secs => $10::real), clock_timestamp());

-- name: state_updates_of_turn
-- What was asked of the state as an answer to one message, oldest first.
select patch from recollect.state_history
where tenant = $1 and conversation = $2 and cause in ('model', 'message') and ref = $3 and change <> 'action'
  and patch is not null
order by id;

-- name: put_in_outbox
with put as (
  insert into recollect.outbox (tenant, id, conversation, action, key, payload) values ($1, $2, $3, $4, $5, $6)
)
select recollect.mark_work($1, 'deliver', $2::uuid::text, user_id) from recollect.conversations
where tenant = $1 and id = $3;

-- name: outbox_by_key
-- What a key has done already, and whether it was the same as what is asked for now.
select id, action = $4 and payload -> 'arguments' = $5::jsonb as same
from recollect.outbox where tenant = $1 and conversation = $2 and key = $3;

-- name: try_delivery
-- One more try; no row if there is nothing left to deliver.
update recollect.outbox o set attempts = o.attempts + 1
from recollect.conversations c
where o.tenant = $1 and o.id = $2 and o.delivered_at is null and c.tenant = o.tenant and c.id = o.conversation
returning o.id, o.conversation, o.action, o.payload, o.created_at, o.attempts, o.delivered_at, o.delivered_by,
          c.user_id, c.agent;

-- name: take_up_deliveries
-- What workers that could not deliver it have passed on, for one that can: it need not rest any longer.
update recollect.work w set due_at = clock_timestamp()
from recollect.outbox o
where w.tenant = $1 and w.kind = 'deliver' and w.attempts = 0 and w.failed_at is null and w.leased_until is null
  and w.due_at > clock_timestamp() and o.tenant = w.tenant and o.id::text = w.subject
  and ($2::text[] is null or o.action = any ($2));

-- name: delivered
update recollect.outbox set delivered_at = clock_timestamp(), delivered_by = $3
where tenant = $1 and id = $2 and delivered_at is null;

-- name: mark_undelivered
-- Actions that are not delivered and that nobody is due to. Whoever looks after the tenant marks them for a week: somebody else
-- may be the one who can deliver them. After that, only who can: most installations deliver nothing.
select recollect.mark_work(o.tenant, 'deliver', o.id::text, c.user_id)
from recollect.outbox o join recollect.conversations c on c.tenant = o.tenant and c.id = o.conversation
where o.tenant = $1 and o.delivered_at is null
  and (o.created_at > clock_timestamp() - $3::interval or $2::text[] is null or o.action = any ($2))
  and not exists (select from recollect.work w
                  where w.tenant = o.tenant and w.kind = 'deliver' and w.subject = o.id::text)
order by o.created_at limit 1000;

-- name: outbox_of_tenant
-- Newest first.
select o.id, o.conversation, o.action, o.payload, o.created_at, o.attempts, o.delivered_at, o.delivered_by,
       c.user_id, c.agent
from recollect.outbox o join recollect.conversations c on c.tenant = o.tenant and c.id = o.conversation
where o.tenant = $1 and (not $2 or o.delivered_at is null)
order by o.created_at desc, o.id desc limit $3;
