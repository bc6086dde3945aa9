-- name: fetch_context
-- What the next prompt needs, in one round trip: 19 columns of the conversation, then those of the memories.
select c.*, m.* from recollect.fetch_context($1, $2, $3, $4) c
cross join lateral recollect.find_memories($1, c.user_id, c.agent, $4, $5, $6, $7, $8, $9, $10) m;
