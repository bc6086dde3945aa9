-- Export and import of all that there is of a user. Every query runs in a transaction that has set the tenant.
-- What is exported comes as JSON, in the words of recollect.exchange.document.

-- name: use_utc
-- Times inside JSON are written in the time zone of the session.
select set_config('timezone', 'UTC', true) where $1::text is not null;

-- name: size_of_user
-- How much there is to export.
select (select count(*) from recollect.conversations where tenant = $1 and user_id = $2)
     + (select count(*) from recollect.memories where tenant = $1 and user_id = $2)
     + (select count(*) from recollect.notes where tenant = $1 and user_id = $2)
     + (select count(*) from recollect.documents where tenant = $1 and user_id = $2
          and (expires_at is null or expires_at > now()));

-- name: export_agents
-- The settings of the agents that have to do with the user.
select json_build_object('agent', agent, 'instructions', instructions, 'window', window_size, 'budget', budget,
                         'pool', pool, 'version', version, 'learn_every', learn_every, 'workflow', workflow,
                         'model', model)
from recollect.agents where tenant = $1 and agent in (
  select agent from recollect.conversations where tenant = $1 and user_id = $2
  union select agent from recollect.memories where tenant = $1 and user_id = $2
  union select agent from recollect.notes where tenant = $1 and user_id = $2)
order by agent;

-- name: export_workflows
-- The tenant's own definitions that the user's states follow, and the newest of those that these agents' conversations
-- begin with.
with wanted as (
  select s.workflow as name, s.workflow_version as version
  from recollect.states s join recollect.conversations c on c.tenant = s.tenant and c.id = s.conversation
  where c.tenant = $1 and c.user_id = $2
  union
  select a.workflow, (select max(d.version) from recollect.workflows d where d.tenant = $1 and d.name = a.workflow)
  from recollect.agents a where a.tenant = $1 and a.agent in (
    select agent from recollect.conversations where tenant = $1 and user_id = $2
    union select agent from recollect.memories where tenant = $1 and user_id = $2
    union select agent from recollect.notes where tenant = $1 and user_id = $2))
select json_build_object('name', name, 'versions', json_agg(
  json_build_object('version', version, 'definition', w.definition) order by version))
from recollect.workflows w join wanted using (name, version)
where w.tenant = $1 group by name order by name;

-- name: export_conversations
-- The next ones by id, without their messages. The first may be that of nothing but zeros, which some take for a default.
select json_build_object(
  'id', c.id, 'agent', c.agent, 'title', c.title, 'status', c.status, 'last_seq', c.last_seq,
  'last_user_seq', c.last_user_seq, 'message_count', c.message_count, 'created_at', c.created_at,
  'updated_at', c.updated_at, 'archived_at', c.archived_at, 'messages', '[]'::json,
  'active', (select json_build_object('created_at', a.created_at, 'last_active_at', a.last_active_at)
             from recollect.active_conversations a where a.tenant = $1 and a.conversation = c.id and a.user_id = $2),
  'digest', (select json_build_object(
               'learned_seq', d.learned_seq, 'summary', d.summary, 'summary_seq', d.summary_seq,
               'summary_by', d.summary_by, 'sentiment', d.sentiment::text::float8, 'sentiment_seq', d.sentiment_seq,
               'updated_at', d.updated_at)
             from recollect.digests d where d.tenant = $1 and d.conversation = c.id),
  'refusals', (select coalesce(json_agg(json_build_object(
                 'pool', r.pool, 'first_seq', r.first_seq, 'last_seq', r.last_seq, 'reason', r.reason, 'at', r.at)
                 order by r.id), '[]')
               from recollect.refusals r where r.tenant = $1 and r.conversation = c.id),
  'state', (select json_build_object(
              'workflow', s.workflow, 'workflow_version', s.workflow_version, 'step', s.step, 'draft', s.draft,
              'last_action', s.last_action, 'metadata', s.metadata, 'version', s.version, 'created_at', s.created_at,
              'updated_at', s.updated_at)
            from recollect.states s where s.tenant = $1 and s.conversation = c.id),
  'memory', (select json_build_object(
               'document', d.document, 'version', d.version, 'actor', d.actor, 'created_at', d.created_at,
               'updated_at', d.updated_at)
             from recollect.conversation_memories d where d.tenant = $1 and d.conversation = c.id))
from recollect.conversations c
where c.tenant = $1 and c.user_id = $2 and c.id >= coalesce($3::uuid, '00000000-0000-0000-0000-000000000000') and c.id is distinct from $3
order by c.id
limit $4;

-- name: export_messages
select json_build_object(
  'seq', seq, 'id', id, 'role', role, 'content', content, 'created_at', created_at, 'name', name,
  'metadata', coalesce(metadata, '{}'), 'tool_calls', tool_calls, 'tool_call_id', tool_call_id, 'parts', parts,
  'answers_seq', answers, 'actor', actor)
from recollect.messages where tenant = $1 and conversation = $2 and seq > $3
order by seq
limit $4;

-- name: export_state_history
select id, json_build_object(
  'version', version, 'at_seq', at_seq, 'change', change, 'cause', cause, 'ref', ref, 'patch', patch,
  'from_step', from_step, 'to_step', to_step, 'refused', refused, 'snapshot', snapshot, 'actor', actor, 'at', at)
from recollect.state_history where tenant = $1 and conversation = $2 and id > $3
order by id
limit $4;

-- name: export_turns
-- But for one that is under way: whoever repeats it under its key elsewhere is answered there.
select json_build_object(
  'id', id, 'key', key, 'fingerprint', replace(encode(fingerprint, 'base64'), E'\n', ''), 'status', status, 'tries', token,
  'user_seq', user_seq, 'first_seq', first_seq, 'last_seq', last_seq, 'model', model, 'tokens', tokens,
  'problems', problems, 'seconds', seconds, 'started_at', started_at, 'ended_at', ended_at, 'known', known)
from recollect.turns where tenant = $1 and conversation = $2 and id > $3 and status <> 'running'
order by id
limit $4;

-- name: export_append_keys
select json_build_object(
  'key', key, 'fingerprint', replace(encode(fingerprint, 'base64'), E'\n', ''), 'first_seq', first_seq,
  'user_seq', user_seq, 'created_at', created_at, 'ids', ids)
from recollect.append_keys where tenant = $1 and conversation = $2 and key > $3
order by key
limit $4;

-- name: export_memories
select json_build_object(
  'id', m.id, 'text', m.key_point, 'pool', m.pool, 'agent', m.agent, 'category', m.category,
  'importance', m.importance::text::float8, 'pinned', m.pinned, 'status', m.status, 'created_at', m.created_at,
  'updated_at', m.updated_at, 'valid_from', m.valid_from, 'valid_to', m.valid_to, 'expires_at', m.expires_at,
  'superseded_by', m.superseded_by, 'author', m.author, 'trust', m.trust, 'by_person', m.by_person,
  'version', m.version, 'update_count', m.update_count, 'context', coalesce(m.context, '{}'),
  'source', case when m.conversation is not null then
    json_build_object('conversation', m.conversation, 'first_seq', m.first_seq, 'last_seq', m.last_seq) end,
  'versions', (select coalesce(json_agg(json_build_object(
      'version', v.version, 'text', v.key_point, 'category', v.category, 'importance', v.importance::text::float8,
      'pinned', v.pinned, 'status', v.status, 'expires_at', v.expires_at, 'valid_from', v.valid_from,
      'valid_to', v.valid_to, 'change', v.change, 'actor', v.actor, 'at', v.at, 'author', v.author, 'trust', v.trust,
      'source', case when v.conversation is not null then
        json_build_object('conversation', v.conversation, 'first_seq', v.first_seq, 'last_seq', v.last_seq) end,
      'superseded_by', v.superseded_by)
      order by v.version), '[]')
    from recollect.memory_versions v where v.tenant = $1 and v.memory = m.id))
from recollect.memories m
where m.tenant = $1 and m.user_id = $2 and m.id >= coalesce($3::uuid, '00000000-0000-0000-0000-000000000000') and m.id is distinct from $3
order by m.id
limit $4;

-- name: export_notes
-- Without their versions, of which there may be more than one value can hold.
select json_build_object(
  'agent', n.agent, 'text', n.text, 'version', n.version, 'created_at', n.created_at, 'updated_at', n.updated_at,
  'versions', '[]'::json)
from recollect.notes n where n.tenant = $1 and n.user_id = $2 and n.agent > $3
order by n.agent
limit $4;

-- name: export_note_versions
select json_build_object(
  'version', version, 'text', text, 'operation', operation, 'actor', actor, 'created_at', created_at)
from recollect.note_versions where tenant = $1 and user_id = $2 and agent = $3 and version > $4
order by version
limit $5;

-- name: export_pools
select json_build_object('pool', pool, 'updates', updates, 'consolidated_at', consolidated_at)
from recollect.pools where tenant = $1 and user_id = $2 order by pool;

-- name: export_tombstones
select json_build_object('pool', pool, 'fingerprint', replace(encode(fingerprint, 'base64'), E'\n', ''),
                         'conversation', conversation, 'first_seq', first_seq, 'last_seq', last_seq, 'created_at', created_at)
from recollect.tombstones where tenant = $1 and user_id = $2 order by pool, fingerprint;

-- name: conversation_owners
select id, user_id, agent from recollect.conversations where tenant = $1 and id = any ($2::uuid[]);

-- name: memory_owners
select id, user_id from recollect.memories where tenant = $1 and id = any ($2::uuid[]);

-- name: memories_that_say
-- Of memories that are not here, those of the same pool that say the same; a retired one does not count.
select w.given, m.id
from unnest($3::uuid[], $4::text[], $5::bytea[]) as w(given, pool, fingerprint)
join recollect.memories m on m.tenant = $1 and m.user_id = $2 and m.pool = w.pool and m.fingerprint = w.fingerprint
where m.status <> 'retired'
  and not exists (select from recollect.memories o where o.tenant = $1 and o.id = w.given);

-- name: restore_agent
insert into recollect.agents (tenant, agent, instructions, window_size, budget, pool, version, learn_every, workflow,
                              model)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing;

-- name: workflow_versions
select version, definition from recollect.workflows where tenant = $1 and name = $2;

-- name: restore_workflow
insert into recollect.workflows (tenant, name, version, definition, actor) values ($1, $2, $3, $4, $5);

-- name: restore_conversation
-- With room for all of its numbers, so that whoever goes on with it meanwhile is not in the way. Its messages are
-- counted as they come.
insert into recollect.conversations (tenant, id, user_id, agent, title, status, last_seq, last_user_seq, created_at,
                                     updated_at, archived_at, learn_every)
values ($1, $2, $3, $4, $5, $6, $7, $8, coalesce($9, now()), coalesce($10, now()), $11,
        coalesce((select a.learn_every from recollect.agents a where a.tenant = $1 and a.agent = $4), 10))
on conflict do nothing returning id;

-- name: restore_active
insert into recollect.active_conversations (tenant, user_id, agent, conversation, created_at, last_active_at)
values ($1, $2, $3, $4, $5, $6) on conflict do nothing;

-- name: restore_digest
insert into recollect.digests (tenant, conversation, learned_seq, summary, summary_seq, summary_by, sentiment,
                               sentiment_seq, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing;

-- name: restore_refusal
insert into recollect.refusals (tenant, conversation, user_id, pool, first_seq, last_seq, reason, at)
values ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: restore_conversation_memory
insert into recollect.conversation_memories (tenant, conversation, document, version, actor, created_at, updated_at)
values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing;

-- name: restore_state
insert into recollect.states (tenant, conversation, workflow, workflow_version, step, draft, last_action, metadata,
                              version, created_at, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- name: restore_state_history
-- In the order of the document, which the ids follow.
insert into recollect.state_history (tenant, conversation, version, at_seq, change, cause, ref, patch, from_step, to_step,
                                     refused, snapshot, actor, at)
select $1, $2, h.version, h.at_seq, h.change, h.cause, h.ref, h.patch, h.from_step, h.to_step, h.refused, h.snapshot,
       h.actor, h.at
from unnest($3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::jsonb[], $9::text[], $10::text[],
            $11::text[], $12::jsonb[], $13::text[], $14::timestamptz[])
     with ordinality as h(version, at_seq, change, cause, ref, patch, from_step, to_step, refused, snapshot, actor, at,
                          place)
order by h.place;

-- name: restore_turns
insert into recollect.turns (tenant, conversation, id, key, fingerprint, status, token, user_seq, first_seq, last_seq,
                             model, tokens, problems, seconds, started_at, ended_at, known)
select $1, $2, t.* from unnest($3::uuid[], $4::text[], $5::bytea[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[],
                               $10::bigint[], $11::text[], $12::jsonb[], $13::jsonb[], $14::real[], $15::timestamptz[],
                               $16::timestamptz[], $17::jsonb[]) as t
on conflict do nothing;

-- name: restore_append_key
insert into recollect.append_keys (tenant, conversation, key, fingerprint, first_seq, user_seq, created_at, ids)
values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing;

-- name: restore_work
-- What had not been learned from is due here too, where there is learning at all.
select recollect.mark_work(tenant, 'extract', id::text, user_id) from recollect.conversations
where tenant = $1 and id = $2 and learn_every > 0;

-- name: digest_again
update recollect.digests
set learned_seq = least(learned_seq, $3), summary_seq = least(summary_seq, $4), sentiment_seq = least(sentiment_seq, $4)
where tenant = $1 and conversation = $2 and (learned_seq > $3 or summary_seq > $4);

-- name: restore_messages
-- Those that are not there yet, counted, with the number of the first.
with added as (
  insert into recollect.messages (tenant, conversation, seq, id, answers, created_at, role, name, content, parts,
                                  tool_calls, tool_call_id, metadata, actor, words)
  select $1, $2, m.seq, m.id, m.answers, m.created_at, m.role, m.name, m.content, m.parts, m.tool_calls,
         m.tool_call_id, m.metadata, m.actor, recollect.words_of(m.content)
  from unnest($3::bigint[], $4::uuid[], $5::bigint[], $6::timestamptz[], $7::text[], $8::text[], $9::text[],
              $10::jsonb[], $11::jsonb[], $12::text[], $13::jsonb[], $14::text[])
       as m(seq, id, answers, created_at, role, name, content, parts, tool_calls, tool_call_id, metadata, actor)
  on conflict do nothing returning seq
), counted as (
  update recollect.conversations set message_count = message_count + (select count(*) from added)
  where tenant = $1 and id = $2 and exists (select from added))
select count(*)::int as added, min(seq) as first from added;

-- name: messages_there
-- How many of these numbers hold these messages.
select count(*)::int from recollect.messages m join unnest($3::bigint[], $4::uuid[]) as w(seq, id) using (seq, id)
where m.tenant = $1 and m.conversation = $2;

-- name: message_ids_there
select id from recollect.messages where tenant = $1 and conversation = $2 and id = any ($3::uuid[]);

-- name: last_said
-- A conversation that was brought from elsewhere was last active when it was last spoken in.
update recollect.conversations c
set updated_at = coalesce((select max(m.created_at) from recollect.messages m
                           where m.tenant = $1 and m.conversation = $2), c.updated_at)
where tenant = $1 and id = $2;

-- name: buried
select fingerprint from recollect.tombstones where tenant = $1 and user_id = $2 and pool = $3;

-- name: restore_memory
-- Nothing was changed later than now: a memory that is valid from its last change on is taken for valid without a look at the clock.
insert into recollect.memories (tenant, id, user_id, pool, agent, key_point, category, importance, pinned, status,
  created_at, updated_at, valid_from, valid_to, expires_at, superseded_by, author, trust, by_person, version,
  update_count, context, conversation, first_seq, last_seq, fingerprint, words, model, embedding)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, least($12, clock_timestamp()), $13, $14, $15, $16, $17, $18, $19, $20,
        $21, $22, $23, $24, $25, $26, recollect.words_of($6), $27, $28::text::halfvec)
on conflict do nothing returning id;

-- name: restore_memory_version
insert into recollect.memory_versions (tenant, memory, version, key_point, category, importance, pinned, status,
  expires_at, valid_from, valid_to, change, actor, at, author, trust, conversation, first_seq, last_seq, superseded_by)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20);

-- name: restore_notes
insert into recollect.notes (tenant, user_id, agent, text, version, created_at, updated_at)
values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning version;

-- name: restore_note_version
insert into recollect.note_versions (tenant, user_id, agent, version, text, operation, actor, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: restore_pool
insert into recollect.pools (tenant, user_id, pool, updates, consolidated_at)
values ($1, $2, $3, $4, $5) on conflict do nothing;

-- name: restore_tombstone
insert into recollect.tombstones (tenant, user_id, pool, fingerprint, conversation, first_seq, last_seq, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing;
