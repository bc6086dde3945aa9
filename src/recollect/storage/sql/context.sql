-- name: fetch_context
-- What the next prompt needs, in one round trip: 19 columns of the conversation, then those of the memories.
select c.*, m.* from recollect.fetch_context($1, $2, $3, $4) c
cross join lateral recollect.find_memories($1, c.user_id, c.agent, $4, $5, $6, $7, $8, $9, $10) m;

-- name: fetch_context_to_keep
-- The same, and in how many seconds the clock will change what the pool holds: a memory expires, or becomes valid.
-- Counted from when the statement began, which is before the memories were looked for.
select c.*, m.*, t.seconds from recollect.fetch_context($1, $2, $3, $4) c
cross join lateral recollect.find_memories($1, c.user_id, c.agent, $4, $5, $6, $7, $8, $9, $10) m
cross join lateral (
  select extract(epoch from min(least(case when expires_at > statement_timestamp() then expires_at end,
                                      case when valid_from > statement_timestamp() then valid_from end))
                            - statement_timestamp())::float8 as seconds
  from recollect.memories
  where tenant = $1 and user_id = c.user_id and pool = m.pool and status = 'active'
    and (expires_at > statement_timestamp() or valid_from > statement_timestamp())) t;
