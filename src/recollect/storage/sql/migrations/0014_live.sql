-- The live channel: what has changed for a user, in one order that all of their devices see.
--
-- Nobody who writes puts anything here. Whoever listens compares what there is with what was told last, under a lock, and
-- numbers the differences; so numbers become visible in their order, and an append costs one look for a listener.

-- A log begins when somebody first listens to a user. "log" tells it from an earlier one, which may have been erased.
create table recollect.live_heads (
  tenant text not null references recollect.tenants on delete cascade,
  user_id text not null,
  log text not null,
  last_number bigint not null default 0,
  gone_upto bigint not null default 0, -- events up to this number are no longer there
  heard_until timestamptz not null, -- until then writers wake whoever listens
  primary key (tenant, user_id)
);

-- What was told last of each thing: its version, and what else is worth an event. No text: of a title, a hash.
create table recollect.live_marks (
  tenant text not null,
  user_id text not null,
  kind text not null, -- conversation, notes, memory, state
  subject text not null,
  agent text not null,
  version bigint not null,
  state text[] not null,
  primary key (tenant, user_id, kind, subject),
  foreign key (tenant, user_id) references recollect.live_heads on delete cascade
);

-- Ids and numbers; the text of a message is looked up when its event is read.
create table recollect.live_events (
  tenant text not null,
  user_id text not null,
  number bigint not null,
  kind text not null,
  conversation uuid,
  agent text not null,
  seq bigint,
  memory uuid,
  version bigint,
  at timestamptz not null,
  told_at timestamptz not null default clock_timestamp(),
  primary key (tenant, user_id, number),
  foreign key (tenant, user_id) references recollect.live_heads on delete cascade
);

do $$
declare
  name text;
begin
  foreach name in array array['live_heads', 'live_marks', 'live_events']
  loop
    execute format('alter table recollect.%I enable row level security', name);
    execute format('alter table recollect.%I force row level security', name);
    execute format('create policy tenant_wall on recollect.%I using (tenant = recollect.current_tenant()) with check (tenant = recollect.current_tenant())', name);
    execute format('grant select, insert, update, delete on recollect.%I to recollect_server', name);
  end loop;
end $$;


-- Waking those who listen -------------------------------------------------------------------------

-- An announcement makes commits wait for each other, in the whole of PostgreSQL: so it is made only where somebody
-- listens. It names nobody. It is a hint: whoever misses it looks again by the clock.
create function recollect.wake_live(p_tenant text, p_user text) returns void
language plpgsql as $$
begin
  if exists (select from recollect.live_heads h
             where h.tenant = p_tenant and h.user_id = p_user and h.heard_until > clock_timestamp()) then
    perform pg_notify('recollect_live', recollect.lock_of_user(p_tenant, p_user)::text);
  end if;
end $$;

create function recollect.wake_live_of_row() returns trigger
language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform recollect.wake_live(old.tenant, old.user_id);
  else
    perform recollect.wake_live(new.tenant, new.user_id);
  end if;
  return null;
end $$;

create function recollect.wake_live_of_state() returns trigger
language plpgsql as $$
begin
  perform recollect.wake_live(c.tenant, c.user_id)
  from recollect.conversations c where c.tenant = new.tenant and c.id = new.conversation;
  return null;
end $$;

-- Not by appends: they change none of these columns, and look for themselves below.
create trigger wake_live after insert or delete or update of title, archived_at, status on recollect.conversations
  for each row execute function recollect.wake_live_of_row();
create trigger wake_live after insert or delete or update on recollect.active_conversations
  for each row execute function recollect.wake_live_of_row();
create trigger wake_live after insert or update of version on recollect.notes
  for each row execute function recollect.wake_live_of_row();
create trigger wake_live after insert or delete or update of version, status on recollect.memories
  for each row execute function recollect.wake_live_of_row();
create trigger wake_live after insert or update on recollect.states
  for each row execute function recollect.wake_live_of_state();

-- When a log itself goes, those who listen are told to load everything.
create function recollect.wake_live_of_log() returns trigger
language plpgsql as $$
begin
  perform pg_notify('recollect_live', recollect.lock_of_user(old.tenant, old.user_id)::text);
  return null;
end $$;
create trigger wake_live after delete on recollect.live_heads
  for each row when (old.heard_until > now()) execute function recollect.wake_live_of_log();


-- Telling what has changed ------------------------------------------------------------------------

-- Bring a user's log up to date and read on in it. "events" is what comes after number p_after of the log p_log, at most
-- p_limit of them; "lost" says that this place is no longer there, or that none was given: then whoever listens loads
-- everything, and goes on from "upto". "more" says that there is more than p_limit.
create function recollect.hear(
  p_tenant text, p_user text, p_conversation uuid, p_log text, p_after bigint, p_limit int, p_most int,
  p_kept float8, p_heard float8)
returns table (log text, upto bigint, lost boolean, more boolean, events json)
language plpgsql as $$
declare
  head recollect.live_heads;
  fresh boolean;
  made bigint;
  oldest record;
begin
  perform set_config('recollect.tenant', p_tenant, true);
  -- An erasure comes before or after this, and of those who listen to a user one at a time. Nothing is written when
  -- nothing has changed, so these locks leave no trace.
  perform pg_advisory_xact_lock_shared(recollect.lock_of_user(p_tenant, p_user));
  perform pg_advisory_xact_lock(hashtextextended(format('recollect.live/%s/%s', p_tenant, p_user), 0));

  select * into head from recollect.live_heads h where h.tenant = p_tenant and h.user_id = p_user;
  fresh := head.log is null;
  if fresh then
    insert into recollect.tenants (tenant) values (p_tenant) on conflict do nothing;
    insert into recollect.live_heads (tenant, user_id, log, heard_until)
    values (p_tenant, p_user, left(replace(gen_random_uuid()::text, '-', ''), 16),
            clock_timestamp() + make_interval(secs => p_heard))
    returning * into head;
  end if;

  -- One statement, and so one moment: what is marked as told is what was told.
  with there as materialized (
    select 'conversation' as kind, c.id::text as subject, c.agent, c.last_seq as version,
           array[md5(coalesce(c.title, '')), (c.archived_at is not null)::text, c.status,
                 (a.conversation is not null)::text, (c.last_seq - c.message_count)::text] as state,
           c.updated_at as at
    from recollect.conversations c
    left join recollect.active_conversations a
      on a.tenant = c.tenant and a.user_id = c.user_id and a.agent = c.agent and a.conversation = c.id
    where c.tenant = p_tenant and c.user_id = p_user
    union all
    select 'state', s.conversation::text, c.agent, s.version, '{}', s.updated_at
    from recollect.conversations c join recollect.states s on s.tenant = c.tenant and s.conversation = c.id
    where c.tenant = p_tenant and c.user_id = p_user
    union all
    select 'notes', n.agent, n.agent, n.version, '{}', n.updated_at
    from recollect.notes n where n.tenant = p_tenant and n.user_id = p_user
    union all
    select 'memory', m.id::text, m.agent, m.version, array[m.status], m.updated_at
    from recollect.memories m where m.tenant = p_tenant and m.user_id = p_user
  ), changed as materialized (
    select kind, subject, coalesce(t.agent, m.agent) as agent, t.version, t.state, coalesce(t.at, clock_timestamp()) as at,
           m.version as told, m.state as told_state
    from there t
    full join (select * from recollect.live_marks l where l.tenant = p_tenant and l.user_id = p_user) m
      using (kind, subject)
    where t.version is distinct from m.version or t.state is distinct from m.state
  ), told as materialized (
    select row_number() over (order by e.rank, e.at, e.subject, e.seq) as place, e.*
    from (
      select x.rank, x.event, c.kind, c.subject, c.agent, c.version, null::bigint as seq, c.at
      from changed c, lateral (values
        (1, 'conversation.created', c.kind = 'conversation' and c.told is null),
        (1, 'conversation.activated', c.kind = 'conversation' and c.state[4] = 'true'
                                      and c.told_state[4] is distinct from 'true'),
        (2, 'conversation.renamed', c.kind = 'conversation' and c.state[1] <> c.told_state[1]),
        (2, 'conversation.archived', c.kind = 'conversation' and c.state[2] = 'true' and c.told_state[2] = 'false'),
        (2, 'conversation.restored', c.kind = 'conversation' and c.state[2] = 'false' and c.told_state[2] = 'true'),
        (2, 'conversation.status', c.kind = 'conversation' and c.state[3] <> c.told_state[3]),
        (2, 'messages.removed', c.kind = 'conversation' and c.state[5] <> c.told_state[5]),
        (4, 'state.changed', c.kind = 'state' and c.version is not null),
        (5, 'notes.changed', c.kind = 'notes' and c.version is not null),
        (5, 'memory.created', c.kind = 'memory' and c.told is null),
        (5, 'memory.revised', c.kind = 'memory' and c.told is not null and c.version is not null),
        (6, 'memory.forgotten', c.kind = 'memory' and c.version is null),
        (6, 'conversation.deleted', c.kind = 'conversation' and c.version is null)
      ) as x(rank, event, so)
      where x.so
      union all
      select 3, 'message.created', c.kind, c.subject, c.agent, null, m.seq, m.created_at
      from changed c
      join recollect.messages m
        on m.tenant = p_tenant and m.conversation = c.subject::uuid and m.seq > coalesce(c.told, 0) and m.seq <= c.version
      where c.kind = 'conversation' and not fresh
    ) as e
    where not fresh
    order by place limit p_most + 1
  ), amount as materialized (
    select count(*) as n from told
  ), written as (
    insert into recollect.live_events (tenant, user_id, number, kind, conversation, agent, seq, memory, version, at)
    select p_tenant, p_user, head.last_number + t.place, t.event,
           case when t.kind in ('conversation', 'state') then t.subject::uuid end, t.agent, t.seq,
           case when t.kind = 'memory' then t.subject::uuid end,
           case when t.kind <> 'conversation' then t.version end, t.at
    from told t where (select n from amount) <= p_most
  ), unmarked as (
    delete from recollect.live_marks l using changed c
    where l.tenant = p_tenant and l.user_id = p_user and l.kind = c.kind and l.subject = c.subject and c.version is null
  ), marked as (
    insert into recollect.live_marks (tenant, user_id, kind, subject, agent, version, state)
    select p_tenant, p_user, c.kind, c.subject, c.agent, c.version, c.state from changed c where c.version is not null
    on conflict (tenant, user_id, kind, subject) do update
    set agent = excluded.agent, version = excluded.version, state = excluded.state
  )
  select n into made from amount;

  if made > p_most then
    -- Too much to be told one by one: everybody loads everything. The number that is left out is nobody's place.
    head.last_number := head.last_number + 1;
    head.gone_upto := head.last_number;
    delete from recollect.live_events e where e.tenant = p_tenant and e.user_id = p_user;
  else
    head.last_number := head.last_number + made;
    select e.number, e.told_at into oldest from recollect.live_events e
    where e.tenant = p_tenant and e.user_id = p_user order by e.number limit 1;
    if oldest.told_at < clock_timestamp() - make_interval(secs => p_kept)
       or head.last_number - oldest.number >= 2 * p_most then
      with gone as (
        delete from recollect.live_events e
        where e.tenant = p_tenant and e.user_id = p_user
          and (e.number <= head.last_number - p_most or e.told_at < clock_timestamp() - make_interval(secs => p_kept))
        returning e.number)
      select max(g.number) into head.gone_upto from gone g;
    end if;
  end if;
  if not fresh then
    update recollect.live_heads h
    set last_number = head.last_number, gone_upto = head.gone_upto,
        heard_until = clock_timestamp() + make_interval(secs => p_heard)
    where h.tenant = p_tenant and h.user_id = p_user
      and (h.last_number <> head.last_number or h.gone_upto <> head.gone_upto
           or h.heard_until < clock_timestamp() + make_interval(secs => p_heard / 2));
  end if;

  log := head.log;
  lost := p_log is distinct from head.log or p_after < head.gone_upto or p_after > head.last_number;
  upto := head.last_number;
  more := false;
  if not lost then
    select json_agg(json_build_object(
             'number', e.number, 'kind', e.kind, 'at', e.at, 'conversation', e.conversation, 'agent', e.agent,
             'seq', e.seq, 'memory', e.memory, 'version', e.version,
             'message', case when length(m.record::text) <= 65536 then m.record end) order by e.number),
           count(*) = p_limit
    into events, more
    from (select * from recollect.live_events e
          where e.tenant = p_tenant and e.user_id = p_user and e.number > p_after
            and (p_conversation is null or e.conversation = p_conversation)
          order by e.number limit p_limit) as e
    left join lateral (
      select recollect.message_record(m) as record from recollect.messages m
      where m.tenant = p_tenant and m.conversation = e.conversation and m.seq = e.seq) as m on true;
  end if;
  return next;
end $$;


-- Appends -----------------------------------------------------------------------------------------

-- As before, and whoever listens to the user is woken.
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
  owner := set_config('recollect.tenant', p_tenant, true); -- assigned: to perform it would take a plan of its own

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

  -- Every process that listens to anybody holds this lock together with the others: where it can be had alone, nobody
  -- listens, and there is nobody to look for. As an expression this costs a twentieth of a query.
  if not (pg_try_advisory_lock(7317654803) and pg_advisory_unlock(7317654803)) then
    perform recollect.wake_live(p_tenant, owner);
  end if;

  if every > 0 and (taken.first - 1 + p_amount) / every > (taken.first - 1) / every then
    perform recollect.mark_work(p_tenant, 'extract', p_conversation::text, owner);
  end if;
  return taken;
end $$;


-- Numbers for operators ---------------------------------------------------------------------------

-- How much is due, how much has failed and how long the oldest has waited, of all tenants together.
create function recollect.work_in_numbers()
returns table (kind text, due bigint, failed bigint, oldest_seconds float8)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select w.kind,
         count(*) filter (where w.failed_at is null and w.due_at <= clock_timestamp()),
         count(*) filter (where w.failed_at is not null),
         coalesce(extract(epoch from clock_timestamp() - min(w.due_at) filter (
           where w.failed_at is null and w.due_at <= clock_timestamp())), 0)::float8
  from recollect.work w group by w.kind
$$;

revoke all on function recollect.wake_live, recollect.wake_live_of_row, recollect.wake_live_of_state,
  recollect.wake_live_of_log, recollect.hear, recollect.work_in_numbers from public;
grant execute on function recollect.wake_live, recollect.wake_live_of_row, recollect.wake_live_of_state,
  recollect.wake_live_of_log, recollect.hear, recollect.work_in_numbers to recollect_server;
