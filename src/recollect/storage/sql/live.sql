-- The live channel. Each statement sets its tenant itself.

-- name: hear
select * from recollect.hear($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: wake_live
select recollect.wake_live($1, $2);

-- name: live_name
-- What a user is called in announcements.
select recollect.lock_of_user($1, $2)::text;

-- name: somebody_listens
-- Held, together with others, by every connection that listens to users: without it, appends look for nobody.
select pg_advisory_lock_shared(7317654803);

-- name: end_old_logs
-- Logs that nobody has listened to for so many seconds; whoever comes back is told to load everything.
with gone as (
  delete from recollect.live_heads where tenant = $1 and heard_until < clock_timestamp() - make_interval(secs => $2)
  returning 1)
select count(*)::int from gone;

-- name: erase_live_events
with gone as (
  delete from recollect.live_events where tenant = $1 and user_id = $2 returning 1)
select count(*)::int from gone;

-- name: erase_live_marks
with gone as (
  delete from recollect.live_marks where tenant = $1 and user_id = $2 returning 1)
select count(*)::int from gone;

-- name: erase_live_heads
with gone as (
  delete from recollect.live_heads where tenant = $1 and user_id = $2 returning 1)
select count(*)::int from gone;
