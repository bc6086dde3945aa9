-- Memories and agents. Every query runs in a transaction that has set the tenant.

-- name: agent_settings
select * from recollect.agents where tenant = $1 and agent = $2;

-- name: agents_of_tenant
-- Those that were set up, and those that somebody has talked to.
select agent from recollect.agents where tenant = $1
union select agent from recollect.conversations where tenant = $1 and ($2::text is null or user_id = $2)
order by agent limit $3;

-- name: lock_agent
select * from recollect.agents where tenant = $1 and agent = $2 for update;

-- name: ensure_tenant
insert into recollect.tenants (tenant) values ($1) on conflict do nothing;

-- name: save_agent
-- Nothing, if somebody else has set it up since it was looked at.
insert into recollect.agents as a (tenant, agent, instructions, window_size, budget, pool, learn_every, workflow,
                                    model)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (tenant, agent) do update
set instructions = excluded.instructions, window_size = excluded.window_size, budget = excluded.budget,
    pool = excluded.pool, learn_every = excluded.learn_every, workflow = excluded.workflow,
    model = excluded.model, version = a.version + 1, updated_at = clock_timestamp()
where a.version = $10
returning *;

-- name: learn_every_in_conversations
update recollect.conversations set learn_every = $3 where tenant = $1 and agent = $2 and learn_every <> $3;

-- name: same_memory
-- The same thing, said before, in this pool, and the time now; a retired one does not count.
select *, clock_timestamp() as moment from recollect.memories
where tenant = $1 and user_id = $2 and pool = $3 and fingerprint = $4 and status <> 'retired'
for update;

-- name: says_the_same
-- Another memory of the pool with this text. It is not locked: two that are given each other's text would wait for ever.
select id from recollect.memories
where tenant = $1 and user_id = $2 and pool = $3 and fingerprint = $4 and id <> $5 and status <> 'retired';

-- name: insert_memory
insert into recollect.memories (tenant, id, user_id, pool, agent, key_point, category, importance, pinned, status,
  valid_from, expires_at, conversation, first_seq, last_seq, author, trust, by_person, context, fingerprint, words,
  model, embedding)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, coalesce($11, clock_timestamp()), $12, $13, $14, $15, $16, $17, $18,
        $19, $20, recollect.words_of($6), $21, $22::text::halfvec)
on conflict do nothing
returning *;

-- name: messages_at
select seq from recollect.messages where tenant = $1 and conversation = $2 and seq = any ($3::bigint[]);

-- name: refresh_memory
update recollect.memories set update_count = update_count + 1, updated_at = clock_timestamp()
where tenant = $1 and id = $2 returning *;

-- name: say_again
update recollect.memories
set category = $3, importance = $4, pinned = $5, status = $6, valid_from = $7, expires_at = $8, author = $9, trust = $10,
    by_person = $11, conversation = $12, first_seq = $13, last_seq = $14, context = $15, version = version + 1,
    update_count = update_count + 1, updated_at = clock_timestamp()
where tenant = $1 and id = $2 returning *;

-- name: record_memory_version
insert into recollect.memory_versions (tenant, memory, version, key_point, category, importance, pinned, status,
  expires_at, valid_from, valid_to, change, actor, author, trust, conversation, first_seq, last_seq, superseded_by)
select tenant, id, version, key_point, category, importance, pinned, status, expires_at, valid_from, valid_to, $3, $4,
       author, trust, conversation, first_seq, last_seq, superseded_by
from recollect.memories where tenant = $1 and id = $2;

-- name: memory_by_id
select * from recollect.memories where tenant = $1 and id = $2;

-- name: lock_memory
select * from recollect.memories where tenant = $1 and id = $2 for update;

-- name: lock_memories
-- In the order of their ids, so that no two that lock several wait for each other.
select id, version, status from recollect.memories where tenant = $1 and id = any ($2::uuid[]) order by id for update;

-- name: replaced_by
-- By the pool, which has an index; in the order of their ids, as all who lock several do.
select id, key_point from recollect.memories
where tenant = $1 and user_id = $2 and pool = $3 and superseded_by = $4 and status = 'retired'
order by id for update;

-- name: change_memory
update recollect.memories
set key_point = $3, category = $4, importance = $5, pinned = $6, status = $7, expires_at = $8, by_person = $9,
    fingerprint = $10, words = recollect.words_of($3), valid_to = $11, valid_from = $14, author = $15,
    trust = $16, conversation = $17, first_seq = $18, last_seq = $19,
    superseded_by = case when $7 = 'retired' then coalesce($20, superseded_by) end, model = coalesce($12::text, model),
    embedding = coalesce($13::text::halfvec, embedding),
    next_model = case when $12::text is null then next_model end,
    next_embedding = case when $13::text is null then next_embedding end, version = version + 1,
    update_count = update_count + 1, updated_at = clock_timestamp()
where tenant = $1 and id = $2 returning *;

-- name: came_from
-- The messages that it was last said to come from.
select conversation, first_seq, last_seq from (
  select conversation, first_seq, last_seq, version from recollect.memories where tenant = $1 and id = $2
  union all
  select conversation, first_seq, last_seq, version from recollect.memory_versions where tenant = $1 and memory = $2
) as told
where conversation is not null order by version desc limit 1;

-- name: said_before_merging
-- What memories of a pool, or one of them ($4), said before a merge gave them the text of another.
select v.key_point, v.conversation, v.first_seq, v.last_seq
from recollect.memories m
join recollect.memory_versions v on v.tenant = m.tenant and v.memory = m.id
join recollect.memory_versions n on n.tenant = v.tenant and n.memory = v.memory and n.version = v.version + 1
where m.tenant = $1 and m.user_id = $2 and m.pool = $3 and ($4::uuid is null or m.id = $4)
  and n.change = 'merge' and n.key_point <> v.key_point;

-- name: delete_memory
delete from recollect.memories where tenant = $1 and id = $2 returning *;

-- name: lock_memories_of_pool
-- In the order of their ids, as all who lock several do.
select count(*)::int from (
  select from recollect.memories where tenant = $1 and user_id = $2 and pool = $3 order by id for update) as held;

-- name: delete_memories_of_pool
-- The active, the waiting, the retired and the expired; each leaves behind what forgetting it alone does.
with gone as (
  delete from recollect.memories where tenant = $1 and user_id = $2 and pool = $3
  returning id, fingerprint, conversation, first_seq, last_seq
), buried as (
  insert into recollect.tombstones (tenant, user_id, pool, fingerprint, conversation, first_seq, last_seq)
  select $1, $2, $3, fingerprint, conversation, first_seq, last_seq from gone on conflict do nothing
), written_down as (
  insert into recollect.audit (tenant, actor, action, user_id, subject)
  select $1, $4, 'memory.forget', $2, id::text from gone
)
select count(*)::int from gone;

-- name: insert_tombstone
insert into recollect.tombstones (tenant, user_id, pool, fingerprint, conversation, first_seq, last_seq)
values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing;

-- name: lift_tombstone
-- A person who says it again, or takes the correction back, means it.
delete from recollect.tombstones where tenant = $1 and user_id = $2 and pool = $3 and fingerprint = $4;

-- name: memory_history
select * from recollect.memory_versions where tenant = $1 and memory = $2 order by version;

-- name: memories_of_pool
-- Newest first; the cursor is the last row's (created_at, id). As of a point in time: what was held to be true then, the
-- retired with the active; of these, those that wait or are retired now if they are asked for. An accent is found in both of
-- the forms in which it may be written.
select * from recollect.memories
where tenant = $1 and user_id = $2 and pool = $3
  and ($4::text is null or category = $4)
  and ($5::text is null or strpos(lower(normalize(key_point, nfc)), lower(normalize($5, nfc))) > 0)
  and case when $6::timestamptz is null then status = $7
           else valid_from <= $6 and (valid_to is null or valid_to > $6)
                and case when $7 = 'active' then status <> 'quarantined' else status = $7 end end
  and (expires_at is null or expires_at > coalesce($6, clock_timestamp()))
  and ($8::timestamptz is null or (created_at, id) < ($8, $9::uuid))
  and ($12::real is null or importance >= $12)
order by created_at desc, id desc
limit $10 offset $11;

-- name: size_of_pool
-- How many memories a pool has, up to a number above which it does not matter.
select count(*) as size from (
  select from (select set_config('recollect.tenant', $1, true) as tenant) t
  cross join lateral (
    select from recollect.memories where tenant = t.tenant and user_id = $2 and pool = $3 and status = 'active'
    limit $4) m
) few;

-- name: find_memories
select * from recollect.find_memories($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14);
