-- name: spent_today
-- Days are those of UTC, by the database's clock, so that all processes agree on them.
select tokens_sent + tokens_received as tokens from recollect.spending
where tenant = $1 and day = (clock_timestamp() at time zone 'utc')::date;

-- name: add_spending
insert into recollect.spending as s (tenant, day, calls, tokens_sent, tokens_received)
values ($1, (clock_timestamp() at time zone 'utc')::date, 1, $2, $3)
on conflict (tenant, day) do update
set calls = s.calls + 1, tokens_sent = s.tokens_sent + excluded.tokens_sent,
    tokens_received = s.tokens_received + excluded.tokens_received;
