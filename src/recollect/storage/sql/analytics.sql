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
