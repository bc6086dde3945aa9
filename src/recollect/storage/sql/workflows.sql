-- Workflows and states. Every query but state_of runs in a transaction that has set the tenant.

-- name: workflows_of_tenant
-- The newest definition of each.
select distinct on (name) name, version, definition from recollect.workflows
where tenant = $1 order by name, version desc;

-- name: workflow_definition
-- One definition: of a version, or the newest.
select version, definition from recollect.workflows
where tenant = $1 and name = $2 and ($3::int is null or version = $3)
order by version desc limit 1;

-- name: lock_workflow
-- Two definitions of one name at once get two versions. Locks of other tenants do not matter to this one.
select pg_advisory_xact_lock(hashtextextended(format('workflow/%s/%s', $1::text, $2::text), 0));

-- name: save_workflow
insert into recollect.workflows (tenant, name, version, definition, actor)
select $1, $2, coalesce(max(version), 0) + 1, $3, $4 from recollect.workflows where tenant = $1 and name = $2
returning version;

-- name: state_of
select * from recollect.state_of($1, $2);

-- name: lock_state
select * from recollect.lock_state($1, $2);

-- name: save_state
-- The state, its entry in the history, the conversation's status and the audit are one statement: none is there
-- without the others.
with saved as (
  insert into recollect.states as s
    (tenant, conversation, workflow, workflow_version, step, draft, last_action, metadata, version, created_at, updated_at)
  select $1, $2, $3, $4, $5, $6, $7, $8, 1, moment, moment -- one moment: two defaults may differ by a microsecond
  from (select clock_timestamp() as moment) as begun
  on conflict (tenant, conversation) do update
  set step = excluded.step, draft = excluded.draft, last_action = excluded.last_action, metadata = excluded.metadata,
      version = s.version + 1, updated_at = clock_timestamp()
  returning *
), kept as (
  insert into recollect.state_history
    (tenant, conversation, version, at_seq, change, cause, ref, patch, from_step, to_step, refused, snapshot, actor, at)
  select s.tenant, s.conversation, s.version, c.last_seq, $9, $10, $11, $12, $13, s.step, $14,
         jsonb_build_object('step', s.step, 'draft', s.draft, 'last_action', s.last_action, 'metadata', s.metadata),
         $15, s.updated_at
  from saved s join recollect.conversations c on c.tenant = s.tenant and c.id = s.conversation
), shown as (
  update recollect.conversations set status = $16, updated_at = clock_timestamp()
  where tenant = $1 and id = $2 and status <> $16::text
), audited as (
  insert into recollect.audit (tenant, actor, action, user_id, subject)
  select tenant, $15, 'state.' || $9::text, user_id, id::text from recollect.conversations where tenant = $1 and id = $2
)
select version, created_at, updated_at from saved;

-- name: record_refused_change
with kept as (
  insert into recollect.state_history
    (tenant, conversation, version, at_seq, change, cause, ref, patch, from_step, to_step, refused, actor)
  values ($1, $2, $3, $4, 'refused', $5, $6, $7, $8, $9, $10, $11)
)
insert into recollect.audit (tenant, actor, action, user_id, subject)
select tenant, $11, 'state.refused', user_id, id::text from recollect.conversations where tenant = $1 and id = $2;

-- name: silence_state_history
-- What it quotes goes, and with it the way back; a refused step may be a model's text. What happened stays known.
update recollect.state_history
set patch = null, snapshot = null, refused = null, to_step = case when change = 'refused' then null else to_step end
where tenant = $1 and conversation = $2;

-- name: state_after_message
-- The state as it stood when this message was the newest.
select version, snapshot, at as updated_at from recollect.state_history
where tenant = $1 and conversation = $2 and at_seq <= $3 and snapshot is not null
order by id desc limit 1;

-- name: state_at_version
select version, snapshot, at as updated_at from recollect.state_history
where tenant = $1 and conversation = $2 and version = $3 and snapshot is not null;

-- name: state_history_before
-- Newest first.
select id, version, at_seq, change, cause, ref, patch, from_step, to_step, refused, actor, at
from recollect.state_history
where tenant = $1 and conversation = $2 and ($3::bigint is null or id < $3)
order by id desc
limit $4;
