-- name: fetch_context
select * from recollect.fetch_context($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);
