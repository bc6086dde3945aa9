-- Due work: claimed under a lease, finished in the transaction that writes its effect.

-- name: due_tenants
select * from recollect.due_tenants();

-- name: mark_work
select recollect.mark_work($1, $2, $3, $4);

-- name: claim_work
select * from recollect.claim_work($1, $2, $3, $4);

-- name: extend_lease
update recollect.work set leased_until = clock_timestamp() + make_interval(secs => $5)
where tenant = $1 and kind = $2 and subject = $3 and token = $4 and leased_until is not null
returning token;

-- name: finish_work
-- Gone, if nothing new was marked since it was claimed.
delete from recollect.work
where tenant = $1 and kind = $2 and subject = $3 and token = $4 and marks = $5 and leased_until is not null
returning token;

-- name: reopen_work
-- Due again at once, or later: something new was marked meanwhile, or it comes back by itself.
update recollect.work
set leased_until = null, attempts = 0, error = null, due_at = clock_timestamp() + make_interval(secs => $5)
where tenant = $1 and kind = $2 and subject = $3 and token = $4 and leased_until is not null
returning token;

-- name: fail_work
-- Back after a pause; given up when it was tried often enough. Looking after a tenant never is: nothing would mark it again.
update recollect.work
set leased_until = null, error = $5, due_at = clock_timestamp() + make_interval(secs => $6),
    failed_at = case when attempts >= $7 and kind <> 'tidy' then clock_timestamp() end,
    attempts = case when attempts >= $7 and kind = 'tidy' then 0 else attempts end
where tenant = $1 and kind = $2 and subject = $3 and token = $4 and leased_until is not null
returning failed_at is not null as given_up;

-- name: let_work_go
-- A worker that is stopping gives back what it had claimed, as if it had never been tried.
update recollect.work set leased_until = null, attempts = attempts - 1
where tenant = $1 and kind = $2 and subject = $3 and token = $4 and leased_until is not null;

-- name: pass_work_on
-- Left to a worker with other settings, as if it had never been tried. At first there may be one at any moment, as in a
-- rolling update; the longer none has come, the longer it rests.
update recollect.work
set leased_until = null, attempts = attempts - 1,
    due_at = clock_timestamp()
      + least(greatest((clock_timestamp() - created_at) / 10, interval '1 second'), interval '1 hour')
where tenant = $1 and kind = $2 and subject = $3 and token = $4 and leased_until is not null;

-- name: drop_noticed
-- Work that a worker with other settings has noticed, and none has taken up for a day; whoever has them notices it again.
delete from recollect.work
where tenant = $1 and kind = 'reembed' and starts_with(subject, $2) and subject <> $3
  and created_at < clock_timestamp() - interval '1 day' and leased_until is null;

-- name: drop_asked_for
-- What somebody wanted of other models before; whoever is at it finds its row gone, and ends.
delete from recollect.work
where tenant = $1 and kind = 'reembed' and starts_with(subject, $2) and subject <> $3;

-- name: listed_work
select * from recollect.work
where tenant = $1 and (not $2 or failed_at is not null) and ($2 or kind <> 'tidy' or failed_at is not null)
order by failed_at is null, due_at, kind, subject limit $3;

-- name: retry_work
-- Failed work, all of it or one; its tries begin anew.
update recollect.work set failed_at = null, attempts = 0, leased_until = null, due_at = clock_timestamp()
where tenant = $1 and failed_at is not null and ($2::text is null or kind = $2) and ($3::text is null or subject = $3)
returning kind;

-- name: retry_after_outage
-- What was given up an hour ago because something did not answer gets one more try, and that for a week: outages end.
update recollect.work set failed_at = null, attempts = $2 - 1, due_at = clock_timestamp()
where tenant = $1 and failed_at < clock_timestamp() - interval '1 hour' and starts_with(error, 'Unavailable: ')
  and created_at > clock_timestamp() - interval '7 days';

-- name: work_in_numbers
select * from recollect.work_in_numbers();
