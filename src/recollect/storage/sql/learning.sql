-- The write road: what to learn from, what is known already, and what became of it.

-- name: conversation_to_learn
select c.id, c.user_id, c.agent, c.title, c.message_count, c.last_seq, c.learn_every,
       coalesce(a.pool, c.agent) as pool, coalesce(d.learned_seq, 0) as learned_seq
from recollect.conversations c
left join recollect.agents a on a.tenant = c.tenant and a.agent = c.agent
left join recollect.digests d on d.tenant = c.tenant and d.conversation = c.id
where c.tenant = $1 and c.id = $2;

-- name: replies_with_tools
-- The replies of a part of a conversation for which tools were asked, in that part or before it.
select r.seq from recollect.messages r
where r.tenant = $1 and r.conversation = $2 and r.seq > $3 and r.seq <= $4 and r.role = 'assistant'
  and exists (select from recollect.messages t
              where t.tenant = $1 and t.conversation = $2 and t.seq > coalesce(r.answers, 0) and t.seq <= $4
                and t.role = 'tool' and t.answers is not distinct from r.answers);

-- name: lock_pool
-- Whoever learns into a pool, or marks what is not to be learned again, does so alone; readers and appends do not wait.
select pg_advisory_xact_lock(hashtextextended(format('%s/%s/%s/learn', $1::text, $2::text, $3::text), 0));

-- name: hold_conversation
-- By its key, so that appends go on; before its work, as an erasure has it: else the two would wait for each other.
select from recollect.conversations where tenant = $1 and id = $2 for key share;

-- name: advance_learning
-- Only from where it was read: two that digest one conversation cannot both go on. No row: somebody else was faster,
-- or the conversation is gone.
insert into recollect.digests as d (tenant, conversation, learned_seq)
select $1, id, $4 from recollect.conversations where tenant = $1 and id = $2 for key share
on conflict (tenant, conversation) do update set learned_seq = excluded.learned_seq, updated_at = clock_timestamp()
where d.learned_seq = $3
returning learned_seq;

-- name: known_memories
-- Everything that a pool holds now, with how near it is; a vector of another model, or of nothing that the model knows, has
-- no nearness. What begins later than now, and later than what is being learned, neither stands against it nor says it.
select m.*, (select s.created_at from recollect.messages s
             where s.tenant = $1 and s.conversation = m.conversation and s.seq = m.last_seq) as said_at,
       coalesce(nullif(case when m.model = $4 then 1 - (m.embedding <=> q.wanted)
                                 when m.next_model = $4 then 1 - (m.next_embedding <=> q.wanted) end, 'nan'), 0) as cosine
from (select $5::text::halfvec as wanted offset 0) q, recollect.memories m
where m.tenant = $1 and m.user_id = $2 and m.pool = $3 and m.status <> 'retired'
  and (m.expires_at is null or m.expires_at > clock_timestamp())
  and m.valid_from <= greatest(clock_timestamp(), $6::timestamptz)
order by m.created_at desc, m.id
limit 5000;

-- name: pool_with_vectors
-- What has not begun yet takes the place of nothing.
select m.*, case when m.model = $4 then m.embedding else m.next_embedding end::text as vector
from recollect.memories m
where m.tenant = $1 and m.user_id = $2 and m.pool = $3 and m.status = 'active' and $4 in (m.model, m.next_model)
  and (m.expires_at is null or m.expires_at > clock_timestamp()) and m.valid_from <= clock_timestamp()
order by m.created_at desc, m.id
limit 5000;

-- name: tombstones_of_pool
select fingerprint, conversation, first_seq, last_seq from recollect.tombstones
where tenant = $1 and user_id = $2 and pool = $3;

-- name: retire_memory
-- What a person wrote, or has changed since it was read, stays.
update recollect.memories
set status = 'retired', valid_to = greatest($4::timestamptz, valid_from), superseded_by = $5,
    version = version + 1, updated_at = clock_timestamp()
where tenant = $1 and id = $2 and version = $3 and status = 'active' and not by_person
returning *;

-- name: merge_memory
-- The kept one of a group takes the group's text, unless a person wrote its own, and what the others knew about it.
update recollect.memories
set key_point = $4, fingerprint = $5, words = recollect.words_of($4), model = coalesce($6::text, model),
    embedding = coalesce($7::text::halfvec, embedding), next_model = case when $6::text is null then next_model end,
    next_embedding = case when $6::text is null then next_embedding end, category = $8, importance = $9, pinned = $10,
    version = version + 1, update_count = update_count + 1, updated_at = clock_timestamp()
where tenant = $1 and id = $2 and version = $3 and status = 'active' and (key_point = $4 or not by_person)
returning *;

-- name: record_refusal
insert into recollect.refusals (tenant, conversation, user_id, pool, first_seq, last_seq, reason)
values ($1, $2, $3, $4, $5, $6, $7);

-- name: refusals_of_user
select conversation, first_seq, last_seq, reason, at from recollect.refusals
where tenant = $1 and user_id = $2 and pool = $3 order by at desc, id desc limit $4;

-- name: pool_updated
select recollect.pool_updated($1, $2, $3);

-- name: pool_consolidated
insert into recollect.pools (tenant, user_id, pool, consolidated_at) values ($1, $2, $3, clock_timestamp())
on conflict (tenant, user_id, pool) do update set updates = 0, consolidated_at = excluded.consolidated_at;

-- name: until_silent
-- Seconds until nothing was said in a conversation for so many. No row: it is gone. Its key is held, for which an erasure waits: it could not
-- see what is marked at this moment.
select greatest(extract(epoch from said_at - clock_timestamp()) + $3::float8, 0)::float8 as seconds
from recollect.conversations where tenant = $1 and id = $2::uuid for key share;

-- name: mark_silent
-- One that fell silent is due, if there is anything new in it; what was given up waits for whoever retries it.
select recollect.mark_work($1, 'extract', c.id::text, c.user_id)
from recollect.conversations c
left join recollect.digests d on d.tenant = c.tenant and d.conversation = c.id
where c.tenant = $1 and c.id = $2::uuid and c.learn_every > 0
  and exists (select from recollect.messages m
              where m.tenant = $1 and m.conversation = c.id and m.seq > coalesce(d.learned_seq, 0))
  and not exists (select from recollect.work w
                  where w.tenant = $1 and w.kind = 'extract' and w.subject = c.id::text and w.failed_at is not null);

-- name: mark_unlearned
-- Conversations that fell silent before their next round number of messages are learned from as well, those that wait longest
-- first. Of what was taken back there is nothing to learn, and what was given up waits for whoever retries it. What is being erased at
-- this moment is left out; for the others an erasure waits. Marked in the order of their ids, so that no two that mark several wait for
-- each other.
select recollect.mark_work($1, 'extract', silent.id::text, silent.user_id)
from (
  select c.id, c.user_id
  from recollect.conversations c
  left join recollect.digests d on d.tenant = c.tenant and d.conversation = c.id
  where c.tenant = $1 and c.learn_every > 0 and c.last_seq > coalesce(d.learned_seq, 0) and c.message_count > 0
    and c.updated_at < clock_timestamp() - make_interval(secs => $2)
    and exists (select from recollect.messages m
                where m.tenant = $1 and m.conversation = c.id and m.seq > coalesce(d.learned_seq, 0))
    and not exists (select from recollect.work w
                    where w.tenant = $1 and w.kind = 'extract' and w.subject = c.id::text and w.failed_at is not null)
  order by c.updated_at
  limit 1000
  for key share of c skip locked
) as silent
order by silent.id;
