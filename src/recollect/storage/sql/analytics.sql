-- Counts over a tenant's conversations; of one user or agent, if wanted.

-- name: messages_by_day
select (m.created_at at time zone 'utc')::date as day, m.role, count(*) as count
from recollect.conversations c join recollect.messages m on m.tenant = c.tenant and m.conversation = c.id
where c.tenant = $1 and ($2::text is null or c.user_id = $2) and ($3::text is null or c.agent = $3)
  and m.created_at >= $4 and m.created_at > '-infinity'
group by 1, 2 order by 1, 2;

-- name: memories_by_day
select (created_at at time zone 'utc')::date as day, coalesce(category, '') as category, status, count(*) as count
from recollect.memories
where tenant = $1 and ($2::text is null or user_id = $2) and ($3::text is null or agent = $3) and created_at >= $4
group by 1, 2, 3 order by 1, 2, 3;

-- name: totals
select (select count(*) from recollect.conversations
        where tenant = $1 and ($2::text is null or user_id = $2) and ($3::text is null or agent = $3)) as conversations,
       (select coalesce(sum(message_count), 0)::bigint from recollect.conversations
        where tenant = $1 and ($2::text is null or user_id = $2) and ($3::text is null or agent = $3)) as messages,
       (select count(*) from recollect.memories
        where tenant = $1 and status = 'active' and ($2::text is null or user_id = $2)
          and ($3::text is null or agent = $3)) as memories;

-- name: spending_by_day
select day, calls, tokens_sent, tokens_received from recollect.spending where tenant = $1 and day >= $2 order by day;

-- name: turns_lately
-- Newest first: what the prompts of the last replies cost, and how long they took.
select t.started_at as at, coalesce((t.tokens ->> 'memories')::int, 0) as memories,
       coalesce((t.tokens ->> 'total')::int, 0) as total, t.seconds
from recollect.conversations c join recollect.turns t on t.tenant = c.tenant and t.conversation = c.id
where c.tenant = $1 and ($2::text is null or c.user_id = $2) and ($3::text is null or c.agent = $3)
  and t.status = 'done' and t.started_at >= $4
order by t.started_at desc limit $5;

-- name: recalled_most
-- The memories of a user that were in most prompts.
select m.id::text, m.key_point as text, count(*) as count
from recollect.conversations c
join recollect.turns t on t.tenant = c.tenant and t.conversation = c.id
cross join lateral jsonb_array_elements(t.known -> 'memories') used
join recollect.memories m on m.tenant = $1 and m.id = (used ->> 0)::uuid
where c.tenant = $1 and c.user_id = $2 and ($3::text is null or c.agent = $3) and t.started_at >= $4
  and m.status = 'active'
group by 1, 2 order by count(*) desc, m.id::text limit $5;

-- name: recalled_never
-- The memories of a user that were in no prompt, oldest first, and how many they are in all.
with used as materialized (
  select distinct (one ->> 0)::uuid as id
  from recollect.conversations c join recollect.turns t on t.tenant = c.tenant and t.conversation = c.id,
       jsonb_array_elements(t.known -> 'memories') one
  where c.tenant = $1 and c.user_id = $2 and t.started_at >= $4
)
select m.id::text, m.key_point as text, count(*) over () as of_all
from recollect.memories m left join used on used.id = m.id
where m.tenant = $1 and m.user_id = $2 and ($3::text is null or m.agent = $3) and m.status = 'active'
  and used.id is null
order by m.created_at, m.id limit $5;
