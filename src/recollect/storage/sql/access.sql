-- Keys and answers. Every query sets its tenant first, or runs in a transaction that has.

-- name: insert_key
insert into recollect.api_keys (tenant, id, secret_hash, name, scopes, user_id, created_by, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8) returning *;

-- name: key_by_id
-- For whoever knocks: one round trip.
select k.* from (select set_config('recollect.tenant', $1, true) as tenant) t cross join lateral (
  select *, expires_at <= clock_timestamp() as expired,
         coalesce(extract(epoch from expires_at - clock_timestamp())::float8, 'infinity') as lasts,
         last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute' as unseen
  from recollect.api_keys where tenant = t.tenant and id = $2) k;

-- name: key_used
update recollect.api_keys set last_used_at = clock_timestamp() where tenant = $1 and id = $2;

-- name: keys_of_tenant
select * from recollect.api_keys where tenant = $1 order by created_at, id;

-- name: rotate_key
-- A new secret under the same id; not for a key that was revoked.
update recollect.api_keys set secret_hash = $3 where tenant = $1 and id = $2 and revoked_at is null returning *;

-- name: revoke_key
update recollect.api_keys set revoked_at = coalesce(revoked_at, clock_timestamp()) where tenant = $1 and id = $2
returning *;

-- name: keys_exist
select recollect.keys_exist();

-- name: tenants_there
-- As an operator who may act as the owner.
select tenant, created_at from recollect.tenants order by tenant;

-- name: begin_answer
select * from recollect.begin_answer($1, $2, $3, $4, $5);

-- name: save_answer
update recollect.answers set status = $4, headers = $5, body = $6 where tenant = $1 and user_id = $2 and key = $3;

-- name: drop_answer
-- Nothing came of it, so the key may be used again.
delete from recollect.answers where tenant = $1 and user_id = $2 and key = $3 and status is null;

-- name: delete_old_answers
with gone as (
  delete from recollect.answers where tenant = $1 and ctid = any (array(
    select ctid from recollect.answers where tenant = $1 and created_at < $2 limit $3))
  returning 1)
select count(*)::int from gone;
