-- name: fetch_context
-- What the next prompt needs, in one round trip: a row for each memory, after 19 columns of the conversation, which only
-- the first row has.
with talk as materialized (select * from recollect.fetch_context($1, $2, $3, $15))
select first.*, m.* from talk
cross join lateral recollect.find_memories(
  $1, talk.user_id, talk.agent, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
  with ordinality as m
left join talk as first on m.ordinality = 1;

-- name: fetch_context_to_keep
-- The same, and in how many seconds the clock will change what the pool holds: a memory expires, or becomes valid.
-- Counted from when the statement began, which is before the memories were looked for.
with talk as materialized (select * from recollect.fetch_context($1, $2, $3, $15))
select first.*, m.*, t.seconds from talk
cross join lateral recollect.find_memories(
  $1, talk.user_id, talk.agent, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
  with ordinality as m
left join talk as first on m.ordinality = 1
cross join lateral (
  select extract(epoch from min(least(case when expires_at > statement_timestamp() then expires_at end,
                                      case when valid_from > statement_timestamp() then valid_from end))
                            - statement_timestamp())::float8 as seconds
  from recollect.memories
  where m.ordinality = 1 and tenant = $1 and user_id = talk.user_id and pool = m.pool and status = 'active'
    and (expires_at > statement_timestamp() or valid_from > statement_timestamp())) t;
