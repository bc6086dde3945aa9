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

-- name: tenants_in_numbers
select * from recollect.tenants_in_numbers($1, $2);

-- name: tenant_there
select created_at from recollect.tenants where tenant = $1;

-- name: insert_tenant
insert into recollect.tenants (tenant) values ($1) on conflict do nothing returning created_at;

-- name: revoke_keys
-- Nobody goes on with a tenant that is being removed.
update recollect.api_keys set revoked_at = clock_timestamp() where tenant = $1 and revoked_at is null;

-- name: users_of_tenant
-- Everybody of whom there is something, by name.
select user_id from (
  select user_id from recollect.conversations where tenant = $1 and user_id > $2
  union select user_id from recollect.memories where tenant = $1 and user_id > $2
  union select user_id from recollect.notes where tenant = $1 and user_id > $2
  union select user_id from recollect.documents where tenant = $1 and user_id > $2
  union select user_id from recollect.tombstones where tenant = $1 and user_id > $2
  union select user_id from recollect.live_heads where tenant = $1 and user_id > $2) as known
order by user_id limit $3;

-- name: lock_tenant
-- Whoever begins something for this tenant waits, and then finds it gone.
select created_at from recollect.tenants where tenant = $1 for update;

-- name: conversations_of_tenant
select id from recollect.conversations where tenant = $1 order by id for update;

-- name: delete_work_of_tenant
delete from recollect.work where tenant = $1;

-- name: delete_tenant
-- With all that hangs on it: agents, workflows, keys, receipts.
delete from recollect.tenants where tenant = $1 returning tenant;

-- name: begin_answer
select * from recollect.begin_answer($1, $2, $3, $4, $5, $6);

-- name: complete_answer
-- The first tenant is that of the transaction, the second that of the key.
select recollect.complete_answer($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: drop_answer
-- Nothing came of it, so the key may be used again. While a commit is in doubt this waits for it, and then finds the answer.
delete from recollect.answers where tenant = $1 and user_id = $2 and key = $3 and attempt = $4 and status is null;

-- name: delete_old_answers
with gone as (
  delete from recollect.answers where tenant = $1 and ctid = any (array(
    select ctid from recollect.answers where tenant = $1 and created_at < $2 limit $3))
  returning 1)
select count(*)::int from gone;
