-- The ground floor: tenants, conversations, messages, due work, audit.
-- Applied as the role recollect_owner. recollect_server, which the application runs as, owns nothing.

-- The tenant of this transaction. After commit the setting reads as '', which must match no row.
create function recollect.current_tenant() returns text
language sql stable parallel safe
return nullif(current_setting('recollect.tenant', true), '');


-- Text search -------------------------------------------------------------------------------------

-- English stems without English stop words: "to be or not to be" is findable, plurals match, and
-- words of other languages stay themselves on both sides of the comparison.
create text search dictionary recollect.stem (template = pg_catalog.snowball, language = english);
create text search configuration recollect.words (parser = pg_catalog.default);
alter text search configuration recollect.words
  add mapping for asciiword, word, numword, asciihword, hword, numhword,
                  hword_asciipart, hword_part, hword_numpart with recollect.stem;
alter text search configuration recollect.words
  add mapping for int, uint, float, sfloat, version, email, url, url_path, host, file, protocol with pg_catalog.simple;

-- No accents, and spaces around every character of a script that is written without them. Punctuation
-- becomes space, or the parser would take "and/or" for a file and keep it whole. The stemmer lowers case.
create function recollect.fold(content text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  if octet_length(content) > char_length(content) then
    content := regexp_replace(normalize(content, nfd), '[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f\u0670]', '', 'g');
    content := normalize(content, nfkc);
    content := regexp_replace(content, '([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff])', ' \1 ', 'g');
    content := regexp_replace(content, '[\u0080-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b9\u00bb-\u00bf\u2000-\u206f\u3000-\u303f]', ' ', 'g');
  end if;
  return regexp_replace(content, '[!-/:-@[-`{-~]', ' ', 'g');
end $$;

-- What a message can be found by. A vector holds at most 1 MB; of a longer one the beginning is kept.
create function recollect.words_of(content text) returns tsvector
language plpgsql immutable strict parallel safe as $$
declare
  folded text := recollect.fold(content);
begin
  if octet_length(folded) < 200000 then
    return to_tsvector('recollect.words', folded);
  end if;
  loop
    begin
      return to_tsvector('recollect.words', folded);
    exception when program_limit_exceeded then
      folded := left(folded, char_length(folded) / 2);
    end;
  end loop;
end $$;

-- A person's search: every word must occur, "quoted words" in that order, -word must not; "or" between
-- two such lists. It never fails on odd input. Characters that fold() spaced out are asked for as a phrase.
create function recollect.query_of(search text) returns tsquery
language plpgsql immutable strict parallel safe as $$
declare
  part record;
  word tsquery;
  every tsquery; -- the words since the last "or"
  whole tsquery;
begin
  for part in
    select m[1] = '-' as without, coalesce(m[2], m[3]) as words
    from regexp_matches(search, '(-?)(?:"([^"]*)"|([^\s"]+))', 'g') as m
  loop
    if lower(part.words) = 'or' and every is not null and not part.without then
      whole := coalesce(whole || every, every);
      every := null;
      continue;
    end if;
    word := phraseto_tsquery('recollect.words', recollect.fold(part.words));
    if numnode(word) > 0 then
      word := case when part.without then !!word else word end;
      every := coalesce(every && word, word);
    end if;
  end loop;
  return coalesce(whole || every, every, whole); -- null when there is no word to look for
end $$;


-- Tables ------------------------------------------------------------------------------------------

create table recollect.tenants (
  tenant text primary key,
  created_at timestamptz not null default now()
);

-- Every append updates its conversation's row: the free space keeps those updates inside the page,
-- and no index covers a column that an append changes.
create table recollect.conversations (
  tenant text not null references recollect.tenants on delete cascade,
  id uuid not null,
  user_id text not null,
  agent text not null,
  title text,
  status text not null default 'open',
  last_seq bigint not null default 0,
  last_user_seq bigint not null default 0,
  message_count bigint not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  archived_at timestamptz,
  primary key (tenant, id)
) with (fillfactor = 70);
create index conversations_of_user on recollect.conversations (tenant, user_id, agent);

create table recollect.active_conversations (
  tenant text not null,
  user_id text not null,
  agent text not null,
  conversation uuid not null,
  created_at timestamptz not null default now(),
  last_active_at timestamptz not null default now(),
  primary key (tenant, user_id, agent),
  foreign key (tenant, conversation) references recollect.conversations on delete cascade
);
create index active_conversations_by_id on recollect.active_conversations (tenant, conversation);

create table recollect.messages (
  tenant text not null,
  conversation uuid not null,
  seq bigint not null,
  id uuid not null,
  answers bigint, -- the number of the user message that a reply answers
  created_at timestamptz not null,
  role text not null check (role in ('user', 'assistant', 'system', 'tool')),
  name text,
  content text not null,
  parts jsonb, -- the content as it was given, where it was not plain text
  tool_calls jsonb,
  tool_call_id text,
  metadata jsonb,
  actor text not null, -- who wrote it down, for the audit
  words tsvector not null, -- words_of(content); a generated column would parse its expression for every insert
  foreign key (tenant, conversation) references recollect.conversations on delete cascade
);
-- Until a table has statistics, the planner takes the newest of two indexes that look equally good. For a message
-- by its number that must not be the one by time, which reads the whole conversation; so the key comes last.
create unique index messages_by_id on recollect.messages (tenant, id);
create index messages_by_time on recollect.messages (tenant, conversation, created_at);
alter table recollect.messages add primary key (tenant, conversation, seq);

-- What an idempotency key was answered with. The request itself is not kept: whoever retries has it.
create table recollect.append_keys (
  tenant text not null,
  conversation uuid not null,
  key text not null,
  fingerprint bytea not null,
  first_seq bigint not null,
  user_seq bigint not null,
  created_at timestamptz not null,
  ids uuid[] not null,
  primary key (tenant, conversation, key),
  foreign key (tenant, conversation) references recollect.conversations on delete cascade
);

-- What has fallen due, one row for each kind and subject; a second reason only moves the mark.
create table recollect.work (
  tenant text not null,
  kind text not null,
  subject text not null,
  user_id text not null,
  marks bigint not null default 1,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  primary key (tenant, kind, subject)
);

create table recollect.audit (
  tenant text not null,
  id bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  actor text not null,
  action text not null,
  user_id text,
  subject text not null,
  primary key (tenant, id)
);


-- The wall ----------------------------------------------------------------------------------------

grant usage on schema recollect to recollect_server;

do $$
declare
  name text;
begin
  foreach name in array array['tenants', 'conversations', 'active_conversations', 'messages', 'append_keys', 'work', 'audit']
  loop
    execute format('alter table recollect.%I enable row level security', name);
    execute format('alter table recollect.%I force row level security', name);
    execute format('create policy tenant_wall on recollect.%I using (tenant = recollect.current_tenant()) with check (tenant = recollect.current_tenant())', name);
    execute format('grant select, insert, update, delete on recollect.%I to recollect_server', name);
  end loop;
end $$;
revoke update, delete on recollect.audit from recollect_server;


-- Functions of the hot paths ----------------------------------------------------------------------

-- What became of an append. It holds no text: whoever appends, or retries, has it.
--   appended  go on and insert: numbers from "first", at "stored_at"; "asked" is the last user message before
--   repeated  this key was answered before, with these numbers, time and ids
--   reused    this key was used before with another body
--   stored    an earlier try, whose connection broke, came through after all, from number "first" on
--   missing   there is no such conversation
create type recollect.numbers as (
  outcome text, first bigint, asked bigint, stored_at timestamptz, message_ids uuid[]
);

-- The numbers of the next messages of a conversation, under its lock: look at the idempotency key, count,
-- mark the work that falls due.
create function recollect.take_numbers(
  p_tenant text, p_conversation uuid, p_key text, p_fingerprint bytea, p_ids uuid[], p_again boolean,
  p_amount bigint, p_last_user bigint)
returns recollect.numbers
language plpgsql as $$
declare
  taken recollect.numbers;
  earlier record;
  owner text;
begin
  perform set_config('recollect.tenant', p_tenant, true);

  -- Some cases must look before they change anything. The update below locks as well.
  if p_key is not null or p_again or p_amount > 1 then
    select last_user_seq into taken.asked
    from recollect.conversations where tenant = p_tenant and id = p_conversation
    for update;
    if p_key is not null then
      select fingerprint, first_seq, user_seq, created_at, ids into earlier
      from recollect.append_keys where tenant = p_tenant and conversation = p_conversation and key = p_key;
      if found then
        return row(case when earlier.fingerprint = p_fingerprint then 'repeated' else 'reused' end,
                   earlier.first_seq, earlier.user_seq, earlier.created_at, earlier.ids)::recollect.numbers;
      end if;
    end if;
    if p_again then
      select seq into taken.first from recollect.messages where tenant = p_tenant and id = p_ids[1];
      if found then
        taken.outcome := 'stored';
        return taken;
      end if;
    end if;
  end if;

  -- The time is taken under the lock, so that it follows the order.
  update recollect.conversations
  set last_seq = last_seq + p_amount,
      last_user_seq = case when p_last_user > 0 then last_seq + p_last_user else last_user_seq end,
      message_count = message_count + p_amount,
      updated_at = clock_timestamp()
  where tenant = p_tenant and id = p_conversation
  returning last_seq - p_amount + 1, coalesce(taken.asked, last_user_seq), updated_at, user_id
  into taken.first, taken.asked, taken.stored_at, owner;
  if not found then
    taken.outcome := 'missing';
    return taken;
  end if;
  taken.outcome := 'appended';

  if p_key is not null then
    insert into recollect.append_keys (tenant, conversation, key, fingerprint, first_seq, user_seq, created_at, ids)
    values (p_tenant, p_conversation, p_key, p_fingerprint, taken.first, taken.asked, taken.stored_at, p_ids);
  end if;

  -- Every tenth message makes the conversation's new range due.
  if (taken.first - 1 + p_amount) / 10 > (taken.first - 1) / 10 then
    insert into recollect.work as w (tenant, kind, subject, user_id)
    values (p_tenant, 'extract', p_conversation::text, owner)
    on conflict (tenant, kind, subject) do update set marks = w.marks + 1;
  end if;
  return taken;
end $$;

-- One message in one round trip: the hottest statement of all, so its arguments are plain values.
create function recollect.append_message(
  p_tenant text, p_conversation uuid, p_actor text, p_key text, p_fingerprint bytea, p_id uuid, p_again boolean,
  p_role text, p_content text, p_created timestamptz, p_name text, p_metadata jsonb, p_tool_calls jsonb,
  p_tool_call_id text, p_parts jsonb)
returns recollect.numbers
language plpgsql as $$
declare
  taken recollect.numbers;
begin
  taken := recollect.take_numbers(p_tenant, p_conversation, p_key, p_fingerprint, array[p_id], p_again,
                              1, case when p_role = 'user' then 1 else 0 end);
  if taken.outcome = 'appended' then
    insert into recollect.messages (tenant, conversation, seq, id, answers, created_at, role, name, content,
                                    parts, tool_calls, tool_call_id, metadata, actor, words)
    values (p_tenant, p_conversation, taken.first, p_id,
            case when p_role in ('assistant', 'tool') then nullif(taken.asked, 0) end,
            coalesce(p_created, taken.stored_at), p_role, p_name, p_content,
            p_parts, p_tool_calls, p_tool_call_id, p_metadata, p_actor,
            recollect.words_of(p_content));
  end if;
  return taken;
end $$;

-- Several messages in one round trip and one transaction. Positions in p_answers count from 1 within this
-- call; 0 is the last user message before it.
create function recollect.append_messages(
  p_tenant text, p_conversation uuid, p_actor text, p_key text, p_fingerprint bytea, p_ids uuid[], p_again boolean,
  p_roles text[], p_contents text[], p_created timestamptz[], p_names text[], p_metadata jsonb[],
  p_tool_calls jsonb[], p_tool_call_ids text[], p_parts jsonb[], p_answers bigint[], p_last_user bigint)
returns recollect.numbers
language plpgsql as $$
declare
  taken recollect.numbers;
begin
  taken := recollect.take_numbers(p_tenant, p_conversation, p_key, p_fingerprint, p_ids, p_again,
                              cardinality(p_ids), p_last_user);
  if taken.outcome = 'appended' then
    insert into recollect.messages (tenant, conversation, seq, id, answers, created_at, role, name, content,
                                    parts, tool_calls, tool_call_id, metadata, actor, words)
    select p_tenant, p_conversation, taken.first - 1 + place, m.id,
           case when m.answers > 0 then taken.first - 1 + m.answers when m.answers = 0 then nullif(taken.asked, 0) end,
           coalesce(m.created, taken.stored_at), m.role, m.name, m.content,
           m.parts, m.tool_calls, m.tool_call_id, m.metadata, p_actor,
           recollect.words_of(m.content)
    from unnest(p_ids, p_roles, p_contents, p_created, p_names, p_metadata, p_tool_calls, p_tool_call_ids,
                p_parts, p_answers)
         with ordinality as m(id, role, content, created, name, metadata, tool_calls, tool_call_id,
                              parts, answers, place);
  end if;
  return taken;
end $$;

-- The conversation that a user and an agent go on with; made, as p_id, if there is none.
create function recollect.active_conversation(p_tenant text, p_user text, p_agent text, p_id uuid, p_actor text)
returns setof recollect.conversations
language plpgsql as $$
begin
  perform set_config('recollect.tenant', p_tenant, true);
  return query
    select c.* from recollect.active_conversations a
    join recollect.conversations c on c.tenant = a.tenant and c.id = a.conversation
    where a.tenant = p_tenant and a.user_id = p_user and a.agent = p_agent;
  if found then
    return;
  end if;
  -- Two first messages at once must open one conversation, not two.
  perform pg_advisory_xact_lock(hashtextextended(format('%s/%s/%s', p_tenant, p_user, p_agent), 0));
  return query
    select c.* from recollect.active_conversations a
    join recollect.conversations c on c.tenant = a.tenant and c.id = a.conversation
    where a.tenant = p_tenant and a.user_id = p_user and a.agent = p_agent;
  if found then
    return;
  end if;
  return query select * from recollect.new_conversation(p_tenant, p_user, p_agent, p_id, null, p_actor);
end $$;

-- A new conversation, which becomes the active one; no row if the id is taken.
create function recollect.new_conversation(
  p_tenant text, p_user text, p_agent text, p_id uuid, p_title text, p_actor text)
returns setof recollect.conversations
language plpgsql as $$
begin
  perform set_config('recollect.tenant', p_tenant, true);
  insert into recollect.tenants (tenant) values (p_tenant) on conflict do nothing;
  return query
    insert into recollect.conversations (tenant, id, user_id, agent, title)
    values (p_tenant, p_id, p_user, p_agent, p_title)
    on conflict do nothing returning *;
  if not found then
    return;
  end if;
  insert into recollect.active_conversations as a (tenant, user_id, agent, conversation)
  values (p_tenant, p_user, p_agent, p_id)
  on conflict (tenant, user_id, agent) do update set conversation = excluded.conversation, last_active_at = now();
  insert into recollect.audit (tenant, actor, action, user_id, subject)
  values (p_tenant, p_actor, 'conversation.create', p_user, p_id::text);
end $$;

revoke all on all functions in schema recollect from public;
grant execute on all functions in schema recollect to recollect_server;
