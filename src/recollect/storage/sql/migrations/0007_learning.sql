-- How it learns: work with leases, what was digested of each conversation, pools, refusals, and what models cost.

-- A claim gets the next token; only the holder of the current one may finish. What has failed too often keeps its
-- row, with failed_at, until somebody retries it.
alter table recollect.work
  add column token bigint not null default 0,
  add column leased_until timestamptz,
  add column attempts int not null default 0,
  add column failed_at timestamptz,
  add column error text; -- the kind of error; never its text, which could quote a message

-- How far a conversation has been learned from, and what it comes to. Beside the conversation and not in it: an
-- append must not wait for whoever digests.
create table recollect.digests (
  tenant text not null,
  conversation uuid not null,
  learned_seq bigint not null default 0,
  summary text,
  summary_seq bigint not null default 0, -- the last message that the summary covers
  summary_by text, -- rules, or the name of a model
  sentiment real, -- from -1 to 1
  sentiment_seq bigint not null default 0,
  updated_at timestamptz not null default clock_timestamp(),
  primary key (tenant, conversation),
  foreign key (tenant, conversation) references recollect.conversations on delete cascade
);

-- How often a pool was updated since it was last consolidated.
create table recollect.pools (
  tenant text not null references recollect.tenants on delete cascade,
  user_id text not null,
  pool text not null,
  updates int not null default 0,
  consolidated_at timestamptz,
  primary key (tenant, user_id, pool)
);

-- Why something was not learned. The text is not kept: it may be the very secret that was refused.
create table recollect.refusals (
  tenant text not null,
  conversation uuid not null,
  id bigint generated always as identity,
  user_id text not null,
  pool text not null,
  first_seq bigint not null,
  last_seq bigint not null,
  reason text not null,
  at timestamptz not null default clock_timestamp(),
  primary key (tenant, conversation, id),
  foreign key (tenant, conversation) references recollect.conversations on delete cascade
);

-- What language models used for a tenant on a day.
create table recollect.spending (
  tenant text not null references recollect.tenants on delete cascade,
  day date not null,
  calls bigint not null default 0,
  tokens_sent bigint not null default 0,
  tokens_received bigint not null default 0,
  primary key (tenant, day)
);

do $$
declare
  name text;
begin
  foreach name in array array['digests', 'pools', 'refusals', 'spending']
  loop
    execute format('alter table recollect.%I enable row level security', name);
    execute format('alter table recollect.%I force row level security', name);
    execute format('create policy tenant_wall on recollect.%I using (tenant = recollect.current_tenant()) with check (tenant = recollect.current_tenant())', name);
    execute format('grant select, insert, update, delete on recollect.%I to recollect_server', name);
  end loop;
end $$;

-- The last 12 messages are read along the key. While a table has no statistics, the planner prefers the smaller of two
-- indexes, and the one by time is smaller where many messages came at once; then it read the whole conversation. As a
-- partial index it can only be used by a statement that asks for a time.
drop index recollect.messages_by_time;
create index messages_by_time on recollect.messages (tenant, conversation, created_at) where created_at > '-infinity';


-- After how many messages a conversation is learned from again; 0 is never. It is the agent's setting, copied to its
-- conversations: an append has the conversation's row in hand anyway.
alter table recollect.agents add column learn_every int not null default 10;
alter table recollect.conversations add column learn_every int not null default 10;

create or replace function recollect.new_conversation(
  p_tenant text, p_user text, p_agent text, p_id uuid, p_title text, p_actor text)
returns setof recollect.conversations
language plpgsql as $$
begin
  perform set_config('recollect.tenant', p_tenant, true);
  insert into recollect.tenants (tenant) values (p_tenant) on conflict do nothing;
  return query
    insert into recollect.conversations (tenant, id, user_id, agent, title, learn_every)
    values (p_tenant, p_id, p_user, p_agent, p_title,
            coalesce((select a.learn_every from recollect.agents a where a.tenant = p_tenant and a.agent = p_agent), 10))
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

-- As before, but by learn_every, and whoever waits for work is told.
create or replace function recollect.take_numbers(
  p_tenant text, p_conversation uuid, p_key text, p_fingerprint bytea, p_ids uuid[], p_again boolean,
  p_amount bigint, p_last_user bigint)
returns recollect.numbers
language plpgsql as $$
declare
  taken recollect.numbers;
  earlier record;
  owner text;
  every int;
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
  returning last_seq - p_amount + 1, coalesce(taken.asked, last_user_seq), updated_at, user_id, learn_every
  into taken.first, taken.asked, taken.stored_at, owner, every;
  if not found then
    taken.outcome := 'missing';
    return taken;
  end if;
  taken.outcome := 'appended';

  if p_key is not null then
    insert into recollect.append_keys (tenant, conversation, key, fingerprint, first_seq, user_seq, created_at, ids)
    values (p_tenant, p_conversation, p_key, p_fingerprint, taken.first, taken.asked, taken.stored_at, p_ids);
  end if;

  if every > 0 and (taken.first - 1 + p_amount) / every > (taken.first - 1) / every then
    perform recollect.mark_work(p_tenant, 'extract', p_conversation::text, owner);
  end if;
  return taken;
end $$;

-- Something is due: one row for each kind and subject, whatever happens twice. Only a new row wakes a worker; one that
-- is there is known, or will be found when its lease or its pause ends.
create function recollect.mark_work(p_tenant text, p_kind text, p_subject text, p_user text) returns void
language plpgsql as $$
declare
  fresh boolean;
begin
  insert into recollect.work as w (tenant, kind, subject, user_id)
  values (p_tenant, p_kind, p_subject, p_user)
  on conflict (tenant, kind, subject) do update set marks = w.marks + 1
  returning w.marks = 1 into fresh;
  if fresh then
    perform pg_notify('recollect_work', '');
  end if;
end $$;

-- A pool was updated; every tenth time it is due to be consolidated.
create function recollect.pool_updated(p_tenant text, p_user text, p_pool text) returns void
language plpgsql as $$
declare
  since int;
begin
  insert into recollect.pools as p (tenant, user_id, pool, updates) values (p_tenant, p_user, p_pool, 1)
  on conflict (tenant, user_id, pool) do update set updates = p.updates + 1
  returning updates into since;
  if since >= 10 then
    perform recollect.mark_work(p_tenant, 'consolidate', json_build_array(p_user, p_pool)::text, p_user);
  end if;
end $$;

-- The next due work of a tenant, leased for so many seconds. Work that was taken up too often without an end, because
-- its worker died each time, is given up here.
create function recollect.claim_work(p_tenant text, p_seconds float8, p_tries int, p_kinds text[])
returns setof recollect.work
language plpgsql as $$
begin
  perform set_config('recollect.tenant', p_tenant, true);
  update recollect.work
  set failed_at = clock_timestamp(), error = coalesce(error, 'its worker died'), leased_until = null
  where tenant = p_tenant and failed_at is null and attempts >= p_tries and leased_until < clock_timestamp();
  return query
    update recollect.work as w
    set token = w.token + 1, attempts = w.attempts + 1,
        leased_until = clock_timestamp() + make_interval(secs => p_seconds)
    where (w.tenant, w.kind, w.subject) in (
      select d.tenant, d.kind, d.subject from recollect.work d
      where d.tenant = p_tenant and d.failed_at is null and d.due_at <= clock_timestamp()
        and (d.leased_until is null or d.leased_until < clock_timestamp())
        and (p_kinds is null or d.kind = any (p_kinds))
      -- What was said is wanted soon; whatever else there is may wait a minute for it, and no longer.
      order by d.due_at + case when d.kind = 'extract' then interval '0' else interval '1 minute' end, d.created_at
      limit 1
      for update skip locked)
    returning w.*;
end $$;

-- Which tenants have something due: names only. The owner of the tables may see that for all tenants, and this
-- function, which runs as the owner, is the only way to ask; the server's role still sees one tenant at a time.
create policy due_for_workers on recollect.work for select to recollect_owner using (true);
create function recollect.due_tenants() returns setof text
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select distinct tenant from recollect.work
  where failed_at is null and due_at <= clock_timestamp()
    and (leased_until is null or leased_until < clock_timestamp())
$$;

-- Every tenant is looked after once an hour, from its first day on.
create function recollect.look_after_tenant() returns trigger
language plpgsql as $$
begin
  insert into recollect.work (tenant, kind, subject, user_id, due_at)
  values (new.tenant, 'tidy', 'tenant', '', clock_timestamp() + interval '1 hour') on conflict do nothing;
  return null;
end $$;

-- The tenants that are here already. For once the owner must see them all.
alter table recollect.tenants no force row level security;
alter table recollect.work no force row level security;
insert into recollect.work (tenant, kind, subject, user_id, due_at)
select tenant, 'tidy', 'tenant', '', clock_timestamp() + interval '1 hour' from recollect.tenants;
alter table recollect.work force row level security;
alter table recollect.tenants force row level security;

create trigger look_after_tenant after insert on recollect.tenants
  for each row execute function recollect.look_after_tenant();

revoke all on function recollect.mark_work, recollect.pool_updated, recollect.claim_work, recollect.due_tenants,
  recollect.look_after_tenant from public;
grant execute on function recollect.mark_work, recollect.pool_updated, recollect.claim_work, recollect.due_tenants,
  recollect.look_after_tenant to recollect_server;
