-- Turns: who is answering a conversation, what it cost and what went wrong; the outbox of actions; the state in the
-- context.

-- A row is a lease while it runs and a record afterwards. It holds no text of a message: what was said is in messages.
create table recollect.turns (
  tenant text not null,
  conversation uuid not null,
  id uuid not null,
  key text, -- the caller's idempotency key
  fingerprint bytea not null, -- of what the user said
  status text not null check (status in ('running', 'done', 'failed')),
  token bigint not null default 1, -- counts up with each try; only the holder of the current one may finish
  leased_until timestamptz,
  user_seq bigint not null,
  first_seq bigint, -- of the reply
  last_seq bigint,
  model text,
  tokens jsonb not null default '{}',
  problems jsonb not null default '[]',
  seconds real,
  started_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  primary key (tenant, conversation, id),
  unique (tenant, conversation, key),
  foreign key (tenant, conversation) references recollect.conversations on delete cascade
);
create unique index one_turn_at_a_time on recollect.turns (tenant, conversation) where status = 'running';

-- What is to happen outside: written with the change that decided it, delivered afterwards.
create table recollect.outbox (
  tenant text not null,
  id uuid not null,
  conversation uuid not null,
  action text not null,
  key text,
  payload jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  delivered_at timestamptz,
  delivered_by text,
  attempts int not null default 0,
  primary key (tenant, id),
  unique (tenant, conversation, key),
  foreign key (tenant, conversation) references recollect.conversations on delete cascade
);
create index outbox_undelivered on recollect.outbox (tenant, created_at) where delivered_at is null;

do $$
declare
  name text;
begin
  foreach name in array array['turns', 'outbox']
  loop
    execute format('alter table recollect.%I enable row level security', name);
    execute format('alter table recollect.%I force row level security', name);
    execute format('create policy tenant_wall on recollect.%I using (tenant = recollect.current_tenant()) with check (tenant = recollect.current_tenant())', name);
    execute format('grant select, insert, update, delete on recollect.%I to recollect_server', name);
  end loop;
end $$;

-- A model of the agent's own; none means the installation's.
alter table recollect.agents add column model text;

-- Begin a turn, or take it up again, and store what the user said, once. Asked twice with the same id (a connection
-- broke), it answers the same. "outcome" is
--   begun    go on: the message is stored as user_seq, the turn is leased under this token
--   done     this key was answered before
--   busy     another turn of this conversation is under way, until leased_until or longer
--   reused   this key was used before with another message
--   missing  there is no such conversation
create function recollect.begin_turn(
  p_tenant text, p_conversation uuid, p_actor text, p_id uuid, p_key text, p_fingerprint bytea, p_message uuid,
  p_content text, p_seconds float8)
returns table (outcome text, id uuid, token bigint, user_seq bigint, leased_until timestamptz)
language plpgsql as $$
declare
  earlier recollect.turns;
  other recollect.turns;
  said recollect.numbers;
begin
  perform set_config('recollect.tenant', p_tenant, true);
  perform from recollect.conversations c where c.tenant = p_tenant and c.id = p_conversation for update;
  if not found then
    outcome := 'missing';
    return next;
    return;
  end if;
  select t.* into earlier from recollect.turns t
  where t.tenant = p_tenant and t.conversation = p_conversation
    and (t.id = p_id or (p_key is not null and t.key = p_key));
  if earlier.id is not null and earlier.fingerprint <> p_fingerprint then
    outcome := 'reused';
    return next;
    return;
  end if;
  id := coalesce(earlier.id, p_id);
  user_seq := earlier.user_seq;
  token := earlier.token;
  leased_until := earlier.leased_until;
  if earlier.status = 'done' or (earlier.status = 'running' and earlier.id = p_id) then
    outcome := case earlier.status when 'done' then 'done' else 'begun' end;
    return next;
    return;
  end if;
  select t.* into other from recollect.turns t
  where t.tenant = p_tenant and t.conversation = p_conversation and t.status = 'running';
  if other.leased_until > clock_timestamp() then
    outcome := 'busy';
    leased_until := other.leased_until;
    return next;
    return;
  end if;
  -- Whoever held it has died, or has been silent for so long that it may not finish any more.
  update recollect.turns t
  set status = 'failed', leased_until = null, ended_at = clock_timestamp(),
      problems = t.problems || '["the process that ran it ended before it did"]'
  where t.tenant = p_tenant and t.conversation = p_conversation and t.id = other.id;
  leased_until := clock_timestamp() + make_interval(secs => p_seconds);
  if earlier.id is null then
    said := recollect.append_message(p_tenant, p_conversation, p_actor, p_key, p_fingerprint, p_message, true, 'user',
                                     p_content, null, null, null, null, null, null);
    if said.outcome = 'reused' then
      outcome := 'reused';
      return next;
      return;
    end if;
    user_seq := said.first;
    token := 1;
    insert into recollect.turns (tenant, conversation, id, key, fingerprint, status, leased_until, user_seq)
    values (p_tenant, p_conversation, p_id, p_key, p_fingerprint, 'running', begin_turn.leased_until, said.first);
  else
    update recollect.turns t
    set status = 'running', token = t.token + 1, leased_until = begin_turn.leased_until, ended_at = null,
        started_at = clock_timestamp()
    where t.tenant = p_tenant and t.conversation = p_conversation and t.id = earlier.id
    returning t.token into token;
  end if;
  outcome := 'begun';
  return next;
end $$;

-- The agent's settings, the notes, the newest messages, the summary if there is something older than those, the state,
-- and the memories that could answer; no row if there is no such conversation. Where a workflow leads, its state says
-- what matters, and the last three messages beside the newest question are enough.
drop function recollect.fetch_context;
create function recollect.fetch_context(
  p_tenant text, p_conversation uuid, p_window int, p_query text, p_vector real[], p_model text, p_as_of timestamptz,
  p_nearest int, p_names text, p_least float8)
returns table (user_id text, agent text, model text, instructions text, budget int, notes text, summary text,
               state json, messages json, memories json)
language plpgsql as $$
declare
  talk record;
  setting record;
  stood record;
  newest record;
  wanted int;
  oldest bigint;
begin
  perform set_config('recollect.tenant', p_tenant, true);
  select c.user_id, c.agent into talk
  from recollect.conversations c where c.tenant = p_tenant and c.id = p_conversation;
  if not found then
    return;
  end if;
  select a.instructions, a.window_size, a.budget, a.model into setting
  from recollect.agents a where a.tenant = p_tenant and a.agent = talk.agent;
  user_id := talk.user_id;
  agent := talk.agent;
  model := setting.model;
  instructions := coalesce(setting.instructions, '');
  budget := coalesce(setting.budget, 2000);
  select n.text into notes
  from recollect.notes n where n.tenant = p_tenant and n.user_id = talk.user_id and n.agent = talk.agent;
  select * into stood from recollect.state_of(p_tenant, p_conversation);
  if stood.workflow is not null or stood.version is not null then
    state := row_to_json(stood);
  end if;
  wanted := coalesce(p_window, setting.window_size, 12);
  if p_window is null and stood.workflow is not null then
    select m.role, m.content into newest
    from recollect.messages m where m.tenant = p_tenant and m.conversation = p_conversation
    order by m.seq desc limit 1;
    wanted := case when newest.role = 'user' and left(newest.content, length(p_query)) = p_query then 4 else 3 end;
  end if;
  select coalesce(json_agg(recollect.message_record(m) order by m.seq), '[]'), min(m.seq) into messages, oldest
  from (
    select * from recollect.messages m where m.tenant = p_tenant and m.conversation = p_conversation
    order by m.seq desc limit wanted
  ) as m;
  -- A window of no messages reaches back to nothing: then everything is older.
  select d.summary into summary
  from recollect.digests d
  where d.tenant = p_tenant and d.conversation = p_conversation and d.summary is not null and exists (
    select from recollect.messages m
    where m.tenant = p_tenant and m.conversation = p_conversation and (oldest is null or m.seq < oldest));
  memories := recollect.find_memories(p_tenant, talk.user_id, talk.agent, p_query, p_vector, p_model, p_as_of,
                                      p_nearest, p_names, p_least);
  return next;
end $$;

revoke all on function recollect.begin_turn, recollect.fetch_context from public;
grant execute on function recollect.begin_turn, recollect.fetch_context to recollect_server;
