-- Appends of several callers as sets: the rows of all their conversations are changed by one statement, and their
-- messages are inserted by it, where before each had statements of its own. What has an idempotency key or is sent again
-- has to look before it changes anything, so it goes by append_message still, and so does whatever else is for the same
-- conversation: the order is the one given.
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
    for update skip locked
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
          updated_at = clock_timestamp()
      from (
        select g.conversation, h.asked_before, count(*) as amount, max(g.asked) as asked
        from unnest(free, asked_before) as h(conversation, asked_before)
        join given g on g.conversation = h.conversation
        where h.conversation <> all (looking)
        group by g.conversation, h.asked_before
      ) as t
      where c.tenant = p_tenant and c.id = t.conversation
      returning c.id, c.last_seq - t.amount as before, t.asked_before, c.updated_at as moment, c.user_id, c.learn_every
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
           t.learn_every
    from given g left join taken t on t.id = g.conversation
    order by g.place
  loop
    if m.first is not null then
      return next row('appended', m.first, m.last_asked, m.moment, null)::recollect.numbers;
      if heard then
        perform recollect.wake_live(p_tenant, m.user_id);
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
