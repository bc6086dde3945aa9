-- Erasure, retention, expiry. Every query runs in a transaction that has set the tenant.

-- name: lock_out_writers
-- Waits for whoever is just beginning something for this user, and keeps others from it until the end.
select pg_advisory_xact_lock(recollect.lock_of_user($1, $2));

-- name: keep_erasure_out
-- As whoever begins something does.
select pg_advisory_xact_lock_shared(recollect.lock_of_user($1, $2));

-- name: lock_conversations_of_user
-- Whoever appends holds the row; after this, nobody does.
select id from recollect.conversations where tenant = $1 and user_id = $2 order by id for update;

-- name: lock_memories_of_user
select count(*)::int from (
  select from recollect.memories where tenant = $1 and user_id = $2 order by id for update) as held;

-- name: lock_notes_of_user
select count(*)::int from (
  select from recollect.notes where tenant = $1 and user_id = $2 order by agent for update) as held;

-- name: erase_message_vectors
-- In parts, so that no single statement takes long; so are the next three.
with gone as (
  delete from recollect.message_vectors where tenant = $1 and ctid = any (array(
    select ctid from recollect.message_vectors where tenant = $1 and conversation = any ($2::uuid[]) limit $3))
  returning 1)
select count(*)::int from gone;

-- name: erase_messages
with gone as (
  delete from recollect.messages where tenant = $1 and ctid = any (array(
    select ctid from recollect.messages where tenant = $1 and conversation = any ($2::uuid[]) limit $3))
  returning 1)
select count(*)::int from gone;

-- name: erase_append_keys
with gone as (
  delete from recollect.append_keys where tenant = $1 and ctid = any (array(
    select ctid from recollect.append_keys where tenant = $1 and conversation = any ($2::uuid[]) limit $3))
  returning 1)
select count(*)::int from gone;

-- name: erase_state_history
with gone as (
  delete from recollect.state_history where tenant = $1 and ctid = any (array(
    select ctid from recollect.state_history where tenant = $1 and conversation = any ($2::uuid[]) limit $3))
  returning 1)
select count(*)::int from gone;

-- name: erase_states
with gone as (
  delete from recollect.states where tenant = $1 and conversation in (
    select id from recollect.conversations where tenant = $1 and user_id = $2)
  returning 1)
select count(*)::int from gone;

-- name: erase_digests
with gone as (
  delete from recollect.digests where tenant = $1 and conversation in (
    select id from recollect.conversations where tenant = $1 and user_id = $2)
  returning 1)
select count(*)::int from gone;

-- name: erase_turns
with gone as (
  delete from recollect.turns where tenant = $1 and conversation in (
    select id from recollect.conversations where tenant = $1 and user_id = $2)
  returning 1)
select count(*)::int from gone;

-- name: erase_outbox
with gone as (
  delete from recollect.outbox where tenant = $1 and conversation in (
    select id from recollect.conversations where tenant = $1 and user_id = $2)
  returning 1)
select count(*)::int from gone;

-- name: erase_refusals
-- Also of another user's conversation, should one have got there.
with gone as (
  delete from recollect.refusals where tenant = $1 and (user_id = $2 or conversation in (
    select id from recollect.conversations where tenant = $1 and user_id = $2))
  returning 1)
select count(*)::int from gone;

-- name: erase_active_conversations
with gone as (
  delete from recollect.active_conversations where tenant = $1 and user_id = $2 returning 1)
select count(*)::int from gone;

-- name: erase_conversations
with gone as (
  delete from recollect.conversations where tenant = $1 and user_id = $2 returning 1)
select count(*)::int from gone;

-- name: erase_memory_versions
with gone as (
  delete from recollect.memory_versions where tenant = $1 and memory in (
    select id from recollect.memories where tenant = $1 and user_id = $2)
  returning 1)
select count(*)::int from gone;

-- name: erase_memory_words
with gone as (
  delete from recollect.memory_words
  where tenant = $1 and shelf in (select recollect.shelf($2, pool) from recollect.memories where tenant = $1 and user_id = $2)
    and memory in (select id from recollect.memories where tenant = $1 and user_id = $2)
  returning 1)
select count(*)::int from gone;

-- name: erase_memories
with gone as (
  delete from recollect.memories where tenant = $1 and user_id = $2 returning 1)
select count(*)::int from gone;

-- name: erase_tombstones
with gone as (
  delete from recollect.tombstones where tenant = $1 and user_id = $2 returning 1)
select count(*)::int from gone;

-- name: erase_note_versions
with gone as (
  delete from recollect.note_versions where tenant = $1 and user_id = $2 returning 1)
select count(*)::int from gone;

-- name: erase_notes
with gone as (
  delete from recollect.notes where tenant = $1 and user_id = $2 returning 1)
select count(*)::int from gone;

-- name: erase_pools
with gone as (
  delete from recollect.pools where tenant = $1 and user_id = $2 returning 1)
select count(*)::int from gone;

-- name: erase_work
-- A job that is under way finds its row gone, and may not finish.
with gone as (
  delete from recollect.work where tenant = $1 and user_id = $2 returning 1)
select count(*)::int from gone;

-- name: disown_audit
-- What was done stays known; to whom, only by the receipt. An actor has at most 255 characters, here and below.
with changed as (
  update recollect.audit
  set user_id = case when user_id = $2 then $3 else user_id end,
      actor = case when actor in ($2, left('user:' || $2, 255)) then $3 else actor end
  where tenant = $1 and (user_id = $2 or actor in ($2, left('user:' || $2, 255)))
  returning 1)
select count(*)::int from changed;

-- name: disown_workflows
-- What the tenant has defined stays, whoever wrote it.
with changed as (
  update recollect.workflows set actor = $3 where tenant = $1 and actor in ($2, left('user:' || $2, 255)) returning 1)
select count(*)::int from changed;

-- name: disown_receipts
-- Of others, whom the user has erased.
with changed as (
  update recollect.receipts set actor = $3 where tenant = $1 and actor in ($2, left('user:' || $2, 255)) returning 1)
select count(*)::int from changed;

-- name: disown_messages
-- What is left by now is others', as below: it stays, without the name of whoever wrote it. "library" is nobody's, whatever a
-- user is called.
with changed as (
  update recollect.messages set actor = $3
  where tenant = $1 and actor in ($2, left('user:' || $2, 255)) and actor <> 'library' returning 1)
select count(*)::int from changed;

-- name: disown_state_history
with changed as (
  update recollect.state_history set actor = $3 where tenant = $1 and actor in ($2, left('user:' || $2, 255)) returning 1)
select count(*)::int from changed;

-- name: disown_conversation_memories
with changed as (
  update recollect.conversation_memories set actor = $3 where tenant = $1 and actor in ($2, left('user:' || $2, 255)) returning 1)
select count(*)::int from changed;

-- name: disown_memory_versions
with changed as (
  update recollect.memory_versions set actor = $3 where tenant = $1 and actor in ($2, left('user:' || $2, 255)) returning 1)
select count(*)::int from changed;

-- name: disown_note_versions
with changed as (
  update recollect.note_versions set actor = $3 where tenant = $1 and actor in ($2, left('user:' || $2, 255)) returning 1)
select count(*)::int from changed;

-- name: disown_document_versions
with changed as (
  update recollect.document_versions set actor = $3 where tenant = $1 and actor in ($2, left('user:' || $2, 255)) returning 1)
select count(*)::int from changed;

-- name: disown_api_keys
-- Keys of others, which the user has made.
with changed as (
  update recollect.api_keys set created_by = $3 where tenant = $1 and created_by in ($2, left('user:' || $2, 255)) returning 1)
select count(*)::int from changed;

-- name: insert_receipt
insert into recollect.receipts (tenant, id, actor, user_hash, counts) values ($1, $2, $3, $4, $5)
returning id, at, actor, user_hash, counts;

-- name: receipts_of_tenant
-- A page, newest first; the cursor is the last row's (at, id).
select id, at, actor, user_hash, counts from recollect.receipts
where tenant = $1 and ($2::timestamptz is null or (at, id) < ($2, $3::uuid))
order by at desc, id desc limit $4;

-- name: receipts_since
select id, user_hash from recollect.receipts where tenant = $1 and at > $2;

-- name: receipt_by_id
select id, at from recollect.receipts where tenant = $1 and id = $2;

-- name: retentions_of_tenant
select agent, minutes from recollect.retentions where tenant = $1 order by agent;

-- name: save_retention
insert into recollect.retentions (tenant, agent, minutes) values ($1, $2, $3)
on conflict (tenant, agent) do update set minutes = excluded.minutes, updated_at = clock_timestamp();

-- name: remove_retention
delete from recollect.retentions where tenant = $1 and agent = $2;

-- name: conversations_with_old_messages
-- The next ones by id, from the one of nothing but zeros on, of one agent ($2), or of all agents but some ($3).
select c.id from recollect.conversations c
where c.tenant = $1 and ($2::text is null or c.agent = $2) and c.agent <> all ($3::text[])
  and c.id >= coalesce($4::uuid, '00000000-0000-0000-0000-000000000000') and c.id is distinct from $4
  and exists (select from recollect.messages m
              where m.tenant = $1 and m.conversation = c.id and m.created_at < $5)
order by c.id
limit $6;

-- name: lock_conversation
select id from recollect.conversations where tenant = $1 and id = $2 for update;

-- name: delete_old_messages
with gone as (
  delete from recollect.messages where tenant = $1 and conversation = $2 and seq in (
    select seq from recollect.messages where tenant = $1 and conversation = $2 and created_at < $3 limit $4)
  returning seq)
select count(*)::int as gone, max(seq) as last from gone;

-- name: count_out_messages
-- Nothing happened in the conversation, so its last activity stays as it was; nor is any number used again.
update recollect.conversations c
set message_count = greatest(message_count - $3, 0),
    last_user_seq = case when exists (select from recollect.messages m
      where m.tenant = $1 and m.conversation = $2 and m.seq = c.last_user_seq) then last_user_seq else 0 end
where tenant = $1 and id = $2;

-- name: delete_old_summary
-- A summary goes with the last message that it covers.
update recollect.digests d set summary = null, summary_by = null, sentiment = null
where tenant = $1 and conversation = $2 and summary is not null and not exists (
  select from recollect.messages m where m.tenant = $1 and m.conversation = $2 and m.seq <= d.summary_seq);

-- name: delete_expired_memories
-- One that is just being changed can wait until next time.
with gone as (
  delete from recollect.memories where tenant = $1 and id in (
    select id from recollect.memories where tenant = $1 and expires_at <= $2
    order by expires_at limit $3 for update skip locked)
  returning user_id)
select count(*)::int, array_agg(distinct user_id) as owners from gone;

-- name: delete_old_keys
-- A page of keys by their order, so that all pages together read the table once.
with page as (
  select conversation, key, created_at from recollect.append_keys
  where tenant = $1 and (conversation, key) > ($2::uuid, $3)
  order by conversation, key limit $5
), gone as (
  delete from recollect.append_keys k using page p
  where k.tenant = $1 and k.conversation = p.conversation and k.key = p.key and p.created_at < $4
  returning 1)
select (select count(*)::int from gone) as gone, conversation, key
from page order by conversation desc, key desc limit 1;

-- name: erase_answers
with gone as (
  delete from recollect.answers where tenant = $1 and user_id = $2 returning 1)
select count(*)::int from gone;

-- name: erase_api_keys
-- The key stays, without a name and revoked: that there were keys is what keeps a server closed.
with gone as (
  update recollect.api_keys set revoked_at = coalesce(revoked_at, clock_timestamp()), user_id = null, name = ''
  where tenant = $1 and user_id = $2 returning 1)
select count(*)::int from gone;
