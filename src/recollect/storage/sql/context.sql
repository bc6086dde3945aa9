-- name: fetch_context
-- What the next prompt needs, in one round trip: a row for each memory, after 19 columns of the conversation, which only
-- the first row has.
with talk as materialized (select * from recollect.fetch_context($1, $2, $3, $4))
select first.*, m.* from talk
cross join lateral recollect.find_memories($1, talk.user_id, talk.agent, $4, $5, $6, $7, $8, $9, $10, $11)
  with ordinality as m
left join talk as first on m.ordinality = 1;
