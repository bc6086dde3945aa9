-- Notes and their versions. As elsewhere, the tenant is named in each condition: the wall stands in the code and
-- in row level security.

-- name: notes_of
-- In one round trip: the rows hang on the result of the line that sets the tenant, so they are looked up after it.
select n.* from (select set_config('recollect.tenant', $1, true) as tenant) t cross join lateral (
  select text, version, updated_at from recollect.notes
  where tenant = t.tenant and user_id = $2 and agent = $3) n;

-- name: lock_notes
-- Whoever edits waits here for the edit before, and then sees its text: no append is lost.
select text, version, updated_at from recollect.notes
where tenant = $1 and user_id = $2 and agent = $3 for update;

-- name: begin_notes
-- Two first edits at once must begin one document; the second waits for the first here.
with known as (insert into recollect.tenants (tenant) values ($1) on conflict do nothing)
insert into recollect.notes (tenant, user_id, agent) values ($1, $2, $3) on conflict do nothing;

-- name: save_notes
-- The new text, its version and its line in the audit are one statement: none is there without the others.
with saved as (
  update recollect.notes set text = $4, version = version + 1, updated_at = clock_timestamp()
  where tenant = $1 and user_id = $2 and agent = $3
  returning tenant, user_id, agent, text, version, updated_at
), kept as (
  insert into recollect.note_versions (tenant, user_id, agent, version, text, operation, actor, created_at)
  select tenant, user_id, agent, version, text, $5, $6, updated_at from saved
), audited as (
  insert into recollect.audit (tenant, actor, action, user_id, subject)
  select tenant, $6, 'notes.' || $5, user_id, agent from saved
)
select text, version, updated_at from saved;

-- name: note_version
select text, version, created_at as updated_at from recollect.note_versions
where tenant = $1 and user_id = $2 and agent = $3 and version = $4;

-- name: note_version_at
-- Which version stood at a moment.
select version from recollect.note_versions
where tenant = $1 and user_id = $2 and agent = $3 and created_at <= $4
order by version desc limit 1;

-- name: note_versions_before
-- Newest first, without their texts: a list of them would be large.
select version, operation, actor, created_at, octet_length(text) as size from recollect.note_versions
where tenant = $1 and user_id = $2 and agent = $3 and ($4::bigint is null or version < $4)
order by version desc
limit $5;
