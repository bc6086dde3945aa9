-- Work is found by an index, looking after a tenant is never given up, and a conversation is learned from soon after it falls silent.

-- When a piece of work has its turn. What was said is wanted soon; whatever else there is may wait a minute for it, and no longer. In UTC,
-- where a minute is a minute on every day.
alter table recollect.work add column turn_at timestamptz not null generated always as (
  (due_at at time zone 'UTC' + case when kind = 'extract' then interval '0' else interval '1 minute' end) at time zone 'UTC') stored;
create index work_by_turn on recollect.work (tenant, turn_at, created_at) where failed_at is null;

-- The next due work of a tenant, leased for so many seconds. Work that was taken up too often without an end, because its worker died each
-- time, is given up when its turn comes; looking after the tenant never is, since nothing would mark it again: it comes back in an hour.
create or replace function recollect.claim_work(p_tenant text, p_seconds float8, p_tries int, p_kinds text[])
returns setof recollect.work
language plpgsql
-- A queue is empty in one moment and long in the next: what was counted says nothing.
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off
as $$
declare
  tenant_set text := set_config('recollect.tenant', p_tenant, true);
  moment timestamptz := clock_timestamp();
  next recollect.work;
begin
  loop
    select d.* into next from recollect.work d
    where d.tenant = p_tenant and d.failed_at is null and d.turn_at <= moment + interval '1 minute' and d.due_at <= moment
      and (d.leased_until is null or d.leased_until < moment)
      and (p_kinds is null or d.kind = any (p_kinds))
    order by d.turn_at, d.created_at
    limit 1
    for update skip locked;
    exit when not found;
    if next.attempts < p_tries or next.leased_until is null then
      return query
        update recollect.work as w
        set token = w.token + 1, attempts = w.attempts + 1,
            leased_until = clock_timestamp() + make_interval(secs => p_seconds)
        where w.tenant = p_tenant and w.kind = next.kind and w.subject = next.subject
        returning w.*;
      return;
    end if;
    update recollect.work as w
    set leased_until = null, error = coalesce(w.error, 'its worker died'),
        failed_at = case when w.kind <> 'tidy' then clock_timestamp() end,
        attempts = case when w.kind = 'tidy' then 0 else w.attempts end,
        due_at = case when w.kind = 'tidy' then clock_timestamp() + interval '1 hour' else w.due_at end
    where w.tenant = p_tenant and w.kind = next.kind and w.subject = next.subject;
  end loop;
end $$;

-- Where that has happened already.
alter table recollect.work no force row level security;
update recollect.work set failed_at = null, attempts = 0, leased_until = null, due_at = clock_timestamp()
where kind = 'tidy' and failed_at is not null;
alter table recollect.work force row level security;

-- Which tenants have something due: names only. From one such tenant to the next along the index, so that a tenant with much to do takes no
-- longer than any other, and of work that is not due yet no row is read.
create or replace function recollect.due_tenants() returns setof text
language sql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off
as $$
  with recursive due(tenant) as (
    (select tenant from recollect.work
     where failed_at is null and turn_at <= statement_timestamp() + interval '1 minute' and due_at <= statement_timestamp()
       and (leased_until is null or leased_until < statement_timestamp())
     order by tenant, turn_at limit 1)
    union all
    select (
      select w.tenant from recollect.work w
      where w.tenant > d.tenant and w.failed_at is null
        and w.turn_at <= statement_timestamp() + interval '1 minute' and w.due_at <= statement_timestamp()
        and (w.leased_until is null or w.leased_until < statement_timestamp())
      order by w.tenant, w.turn_at limit 1)
    from due d where d.tenant is not null
  )
  select tenant from due where tenant is not null
$$;


-- Silence -----------------------------------------------------------------------------------------

-- When something was last said, and whether that was after a while, or where nothing is said: then there may be nobody who waits for the
-- conversation to fall silent, and one row of work is written. Whatever follows within half a minute finds it there, since it stays until a
-- whole minute has passed without a word, or the conversation is cleared; so an append writes no more than before.
alter table recollect.conversations
  add column said_at timestamptz,
  add column resumed boolean not null default false;

-- Somebody talks: in a minute it is looked whether they still do. Nobody needs to be woken for that.
create function recollect.mark_talk(p_tenant text, p_conversation uuid, p_user text) returns void
language sql as $$
  insert into recollect.work as w (tenant, kind, subject, user_id, due_at)
  values (p_tenant, 'settle', p_conversation::text, p_user, clock_timestamp() + interval '1 minute')
  on conflict (tenant, kind, subject) do update set marks = w.marks + 1
$$;
revoke all on function recollect.mark_talk from public;
grant execute on function recollect.mark_talk to recollect_server;

-- As before, and a conversation that begins, or goes on after a while, is waited for. Whoever learns from it holds its key only, so that
-- neither waits for the other.
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
  again boolean;
begin
  owner := set_config('recollect.tenant', p_tenant, true); -- assigned: to perform it would take a plan of its own

  -- Some cases must look before they change anything. The update below locks as well.
  if p_key is not null or p_again or p_amount > 1 then
    select last_user_seq into taken.asked
    from recollect.conversations where tenant = p_tenant and id = p_conversation
    for no key update;
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
      updated_at = clock_timestamp(),
      said_at = clock_timestamp(),
      resumed = message_count = 0 or said_at is null or said_at < clock_timestamp() - interval '30 seconds'
  where tenant = p_tenant and id = p_conversation
  returning last_seq - p_amount + 1, coalesce(taken.asked, last_user_seq), updated_at, user_id, learn_every, resumed
  into taken.first, taken.asked, taken.stored_at, owner, every, again;
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

  -- In this order, as whoever settles: neither waits for the other for ever.
  if every > 0 and again then
    perform recollect.mark_talk(p_tenant, p_conversation, owner);
  end if;
  if every > 0 and (taken.first - 1 + p_amount) / every > (taken.first - 1) / every then
    perform recollect.mark_work(p_tenant, 'extract', p_conversation::text, owner);
  end if;
  return taken;
end $$;

-- The same for several.
create or replace function recollect.append_together(
  p_tenant text, p_conversations uuid[], p_actors text[], p_keys text[], p_fingerprints bytea[], p_ids uuid[],
  p_again boolean[], p_roles text[], p_contents text[], p_created timestamptz[], p_names text[], p_metadata jsonb[],
  p_tool_calls jsonb[], p_tool_call_ids text[], p_parts jsonb[])
returns setof recollect.numbers
language plpgsql
-- Nobody has counted new conversations yet: they are looked up, never passed over.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  tenant_set text := set_config('recollect.tenant', p_tenant, true);
  heard boolean := not (pg_try_advisory_lock(7317654803) and pg_advisory_unlock(7317654803)); -- as in take_numbers
  free uuid[];
  asked_before bigint[];
  looking uuid[] := '{}';
  m record;
begin
  select array_agg(c.id), array_agg(c.last_user_seq) into free, asked_before
  from (
    select id, last_user_seq from recollect.conversations where tenant = p_tenant and id = any (p_conversations)
    for no key update skip locked
  ) as c;
  if true = any (p_again) or array_remove(p_keys, null) <> '{}' then
    looking := array(
      select conversation from unnest(p_conversations, p_keys, p_again) as given(conversation, key, again)
      where key is not null or again);
  end if;
  for m in
    with given as materialized (
      select *, max(case when role = 'user' then number end) over (partition by conversation order by place) as asked
      from (
        select *, row_number() over (partition by conversation order by place) as number
        from unnest(p_conversations, p_actors, p_keys, p_fingerprints, p_ids, p_again, p_roles, p_contents, p_created,
                    p_names, p_metadata, p_tool_calls, p_tool_call_ids, p_parts) with ordinality
          as g(conversation, actor, key, fingerprint, id, again, role, content, created, name, metadata, tool_calls,
               tool_call_id, parts, place)
      ) as numbered
    ), taken as (
      update recollect.conversations c
      set last_seq = c.last_seq + t.amount,
          last_user_seq = coalesce(c.last_seq + t.asked, c.last_user_seq),
          message_count = c.message_count + t.amount,
          updated_at = clock_timestamp(),
          said_at = clock_timestamp(),
          resumed = c.message_count = 0 or c.said_at is null or c.said_at < clock_timestamp() - interval '30 seconds'
      from (
        select g.conversation, h.asked_before, count(*) as amount, max(g.asked) as asked
        from unnest(free, asked_before) as h(conversation, asked_before)
        join given g on g.conversation = h.conversation
        where h.conversation <> all (looking)
        group by g.conversation, h.asked_before
      ) as t
      where c.tenant = p_tenant and c.id = t.conversation
      returning c.id, c.last_seq - t.amount as before, t.asked_before, c.updated_at as moment, c.user_id, c.learn_every,
                c.resumed
    ), stored as (
      insert into recollect.messages (tenant, conversation, seq, id, answers, created_at, role, name, content,
                                      parts, tool_calls, tool_call_id, metadata, actor, words)
      select p_tenant, g.conversation, t.before + g.number, g.id,
             case when g.role in ('assistant', 'tool') then nullif(coalesce(t.before + g.asked, t.asked_before), 0) end,
             coalesce(g.created, t.moment), g.role, g.name, g.content,
             g.parts, g.tool_calls, g.tool_call_id, g.metadata, g.actor, recollect.words_of(g.content)
      from given g join taken t on t.id = g.conversation
    )
    select g.*, t.before + g.number as first, coalesce(t.before + g.asked, t.asked_before) as last_asked, t.moment, t.user_id,
           t.learn_every, t.resumed
    from given g left join taken t on t.id = g.conversation
    order by g.place
  loop
    if m.first is not null then
      return next row('appended', m.first, m.last_asked, m.moment, null)::recollect.numbers;
      if heard then
        perform recollect.wake_live(p_tenant, m.user_id);
      end if;
      if m.learn_every > 0 and m.resumed and m.number = 1 then
        perform recollect.mark_talk(p_tenant, m.conversation, m.user_id);
      end if;
      if m.learn_every > 0 and m.first % m.learn_every = 0 then
        perform recollect.mark_work(p_tenant, 'extract', m.conversation::text, m.user_id);
      end if;
    elsif m.conversation = any (free) then
      return next recollect.append_message(
        p_tenant, m.conversation, m.actor, m.key, m.fingerprint, m.id, m.again, m.role, m.content, m.created, m.name,
        m.metadata, m.tool_calls, m.tool_call_id, m.parts);
    else
      return next row('busy', null, null, null, null)::recollect.numbers;
    end if;
  end loop;
end $$;
