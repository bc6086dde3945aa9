-- What caches are believed by, and documents beside messages. The first five are of no tenant: they hold numbers only.

-- name: cache_trust
-- A database that was restored elsewhere, or that a replica has taken over, may have lost what is cached: its timeline
-- is another.
select installation::text || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as installation, epoch, settings,
       server, distrusted_until > clock_timestamp() as distrusted, shared_at > clock_timestamp() - interval '25 hours' as shared
from recollect.cache_trust;

-- name: distrust_cache
select * from recollect.distrust_cache($1, $2);

-- name: choose_cache_server
select recollect.choose_cache_server($1, $2);

-- name: settings_changed
update recollect.cache_trust set settings = settings + 1 returning settings;

-- name: share_cache
-- Said again and again while a process with a Redis lives: 25 hours are what is cached there, and an hour more.
update recollect.cache_trust set shared_at = clock_timestamp();

-- name: conversation_memory
select m.* from (select set_config('recollect.tenant', $1, true) as tenant) t cross join lateral (
  select c.id, d.document, d.version, d.updated_at
  from recollect.conversations c
  left join recollect.conversation_memories d on d.tenant = c.tenant and d.conversation = c.id
  where c.tenant = t.tenant and c.id = $2) m;

-- name: conversation_memory_version
-- Asked when the conversation is locked: a statement that waits for a lock sees what was there before it waited.
select version from recollect.conversation_memories where tenant = $1 and conversation = $2;

-- name: save_conversation_memory
insert into recollect.conversation_memories as d (tenant, conversation, document, actor) values ($1, $2, $3, $4)
on conflict (tenant, conversation) do update
set document = excluded.document, actor = excluded.actor, version = d.version + 1, updated_at = clock_timestamp()
returning document, version, updated_at;

-- name: delete_conversation_memory
delete from recollect.conversation_memories where tenant = $1 and conversation = $2;

-- name: erase_conversation_memories
with gone as (
  delete from recollect.conversation_memories where tenant = $1 and conversation in (
    select id from recollect.conversations where tenant = $1 and user_id = $2)
  returning 1)
select count(*)::int from gone;

-- name: message_by_id
select m.* from (select set_config('recollect.tenant', $1, true) as tenant) t cross join lateral (
  select seq, id::text, role, content, created_at, name, metadata, tool_calls, tool_call_id, parts, answers
  from recollect.messages where tenant = t.tenant and conversation = $2 and id = $3) m;

-- name: conversations_by_id
-- All of a tenant, page by page; how many there are comes with every row.
select id, (select count(*) from recollect.conversations where tenant = $1) as of
from recollect.conversations
where tenant = $1 and id >= coalesce($2::uuid, '00000000-0000-0000-0000-000000000000') and id is distinct from $2
order by id limit $3;

-- name: some_conversations
-- A sample, the most recently active first: those are the ones that are cached.
select id, user_id from recollect.conversations where tenant = $1 order by updated_at desc limit $2;
