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


-- Recall over memories: what is related and what is not, and in which order, was decided by whoever asked, who was sent
-- every candidate whole. Now the best are chosen here, and only these are sent.

-- How related a cosine is, on the embedder's own scale: given as its values at equal steps from some cosine up to 1, and
-- straight in between. Whoever asks has the exact scale; this is for choosing what is worth sending.
create function recollect.related(p_step float8, p_related float8[]) returns float8
language sql immutable parallel safe
return p_related[floor(p_step)::int + 1]
  + (p_step - floor(p_step)) * (p_related[floor(p_step)::int + 2] - p_related[floor(p_step)::int + 1]);

-- As before, in one type of number: a decimal that meets a real one is written out and read again, each time.
create or replace function recollect.standing(importance real, pinned boolean, updated_at timestamptz, moment timestamptz)
returns float8
language sql stable parallel safe
return 0.1::float8 * (importance - 0.5::float8) + case when pinned then 0.05::float8 else 0::float8 end
  + 0.04::float8 * exp(-least(greatest(date_part('epoch', moment - updated_at) / 86400, 0), 3000) / 30);

-- What a memory is worth apart from the question stands beside its vector, so that only those that are sent are read.
drop index recollect.memories_recalled;
create index memories_recalled on recollect.memories (tenant, user_id, pool, model, valid_from)
  include (id, size, embedding, importance, pinned, created_at, updated_at) where status = 'active' and compact;

drop function recollect.find_memories;
alter type recollect.nearby add attribute standing float8, add attribute created_at timestamptz;

-- Everything in an agent's pool that could answer: the nearest by vector, down to the cosine p_least, and those that
-- share the rarest words with the question and are related by them (p_threshold); p_nearest of each; and of these the
-- p_wanted that come first by both and by their standing. Exact, and only within the scope. The vectors of the pool are
-- passed over once, and what is near is kept as an array: most of a pool is not worth a row of its own. How large the pool
-- is matters only to words, so without a word in common nobody counts.
--
-- "wording" is how much of what the question is about occurs in a memory: BM25 (k1 .9, b .4), as a share of what a full
-- match would score. A name or a code that matches (p_names) is worth "related" by itself, whatever else is asked.
-- "stems" are those of the question that occur in the pool, and "occurring" says which of them occur here, by their places,
-- as bits: those after the 60th are not told.
--
-- One row for each memory, the best first; one without a memory if there is none, since it also says which model serves.
create function recollect.find_memories(
  p_tenant text, p_user text, p_agent text, p_query text, p_near halfvec, p_model text, p_as_of timestamptz,
  p_nearest int, p_names text, p_least float8, p_threshold float8, p_lowest float8, p_related float8[], p_wanted int)
returns table (
  serving text, pool text, stems text, id uuid, cosine float8, wording float8, occurring bigint, standing float8,
  key_point text, importance real, pinned boolean, created_at timestamptz, updated_at timestamptz, through text, category text, status text,
  valid_from timestamptz, valid_to timestamptz, expires_at timestamptz, superseded_by uuid, author text, trust text,
  version int, update_count int, context jsonb, conversation uuid, first_seq bigint, last_seq bigint)
language plpgsql stable rows 8
set plan_cache_mode = force_generic_plan -- a plan for the words of each question would take longer than the search
as $$
#variable_conflict use_column
declare
  tenant_set text := set_config('recollect.tenant', p_tenant, true);
  farthest float8 := 1 - p_least;
  last_step float8 := cardinality(p_related) - 1.000001;
  steps float8 := (cardinality(p_related) - 1) / (1 - p_lowest);
  moment timestamptz := clock_timestamp();
  wanted text[] := tsvector_to_array(ts_delete(recollect.words_of(p_query), recollect.empty_words()));
  marked text[] := '{}';
  v_serving text;
  v_pool text;
  held float8;
  sizes float8;
  usual float8;
  unseen float8;
  close recollect.nearby[];
  other record;
  near uuid[];
  shared text[];
  among float8[];
  most float8[];
  least_size float8[];
  rarity float8;
  rarities float8[] := '{}';
  bits bigint[] := '{}';
  longer float8;
  bound float8 := 0;
  whole float8;
  by_words boolean;
  apart boolean;
begin
  if p_query ~ '\S{41}' then -- as they are kept
    wanted := array(select distinct left(stem, 40) from unnest(wanted) as stem);
  end if;
  if p_names <> '' then
    marked := array(select left(stem, 40) from unnest(tsvector_to_array(recollect.words_of(p_names))) as stem);
  end if;
  -- What is apart: memories that are read from the table, and any that may be of another model.
  select p.pool, p.serving, w.stems, w.among, w.most, w.least,
         p.several or exists (
           select from recollect.memories m
           where m.tenant = p_tenant and m.user_id = p_user and m.pool = p.pool and m.status = 'active' and not m.compact)
  into v_pool, v_serving, shared, among, most, least_size, apart
  from (
    select coalesce((select a.pool from recollect.agents a where a.tenant = p_tenant and a.agent = p_agent), p_agent) as pool,
           max(g.model) filter (where g.status = 'serving') as serving, bool_or(g.model <> p_model) as several
    from recollect.embedding_generations g where g.tenant = p_tenant
  ) as p
  cross join lateral (
    select array_agg(w.stem) as stems, array_agg(f.among) as among, array_agg(f.most) as most, array_agg(f.least) as least
    from unnest(wanted) as w(stem)
    cross join lateral (
      select count(*)::float8 as among, max(k.times)::float8 as most, min(k.size)::float8 as least
      from recollect.memory_words k
      where k.tenant = p_tenant and k.user_id = p_user and k.pool = p.pool and k.stem = w.stem
        and k.since <= moment and k.until > moment) as f
    where f.among > 0
  ) as w;
  if p_as_of is not null then
    return query
      select v_serving, v_pool, past.* from recollect.find_memories_as_of(
        p_tenant, p_user, v_pool, wanted, marked, p_near, p_model, p_as_of, p_nearest, farthest, p_threshold) as past;
    if not found then
      serving := v_serving;
      pool := v_pool;
      return next;
    end if;
    return;
  end if;

  if shared is null then
    select array_agg(row(id, embedding <=> p_near, recollect.standing(importance, pinned, updated_at, moment),
                         created_at)::recollect.nearby)
    into close
    from recollect.memories
    where tenant = p_tenant and user_id = p_user and pool = v_pool and status = 'active' and compact
      and model = p_model and valid_from <= moment and embedding <=> p_near <= farthest;
  else
    select count(*), sum(size),
           array_agg(row(id, embedding <=> p_near, recollect.standing(importance, pinned, updated_at, moment),
                         created_at)::recollect.nearby) filter (where embedding <=> p_near <= farthest)
    into held, sizes, close
    from recollect.memories
    where tenant = p_tenant and user_id = p_user and pool = v_pool and status = 'active' and compact
      and model = p_model and valid_from <= moment;
  end if;
  if apart then
    -- Those of another model, which count among all, and those whose validity or vector is read from the table.
    select count(*) as held, sum(size) as sizes,
           array_agg(row(id, far, recollect.standing(importance, pinned, updated_at, moment),
                         created_at)::recollect.nearby) filter (where far <= farthest) as close
    into other
    from (
      select *, null::float8 as far from recollect.memories
      where tenant = p_tenant and user_id = p_user and pool = v_pool and status = 'active' and compact
        and model < p_model and valid_from <= moment
      union all
      select *, null from recollect.memories
      where tenant = p_tenant and user_id = p_user and pool = v_pool and status = 'active' and compact
        and model > p_model and valid_from <= moment
      union all
      select *, case when model = p_model then embedding <=> p_near
                     when next_model = p_model then next_embedding <=> p_near end
      from recollect.memories
      where tenant = p_tenant and user_id = p_user and pool = v_pool and status = 'active' and not compact
        and (expires_at is null or expires_at > moment) and valid_from <= moment
    ) as others;
    held := held + other.held;
    sizes := coalesce(sizes, 0) + coalesce(other.sizes, 0);
    close := close || other.close;
  end if;

  if shared is null then
    return query
      select v_serving, v_pool, null::text, m.id, b.cosine, 0::float8, 0::bigint, b.standing,
             m.key_point, m.importance, m.pinned, m.created_at, m.updated_at, m.agent, m.category, m.status, m.valid_from,
             m.valid_to, m.expires_at, m.superseded_by, m.author, m.trust, m.version, m.update_count, m.context,
             m.conversation, m.first_seq, m.last_seq
      from (
        select id, cosine, standing
        from (
          select id, 1 - far as cosine, standing, created_at,
                 least(greatest((1 - far - p_lowest) * steps, 0), last_step) as step
          from unnest(close) order by far, id limit p_nearest
        ) as c
        order by recollect.related(step, p_related) + standing desc, created_at desc, id
        limit p_wanted
      ) as b
      cross join lateral (select * from recollect.memories m where m.tenant = p_tenant and m.id = b.id offset 0) as m;
  else
    usual := greatest(sizes / held, 1);
    held := greatest(held, 10); -- among a few memories, every word would seem common
    unseen := ln(1 + (held + 0.5) / 0.5);
    longer := 0.36 / usual;
    whole := cardinality(wanted) * unseen;
    for place in 1 .. cardinality(shared) loop
      rarity := ln(1 + (held - among[place] + 0.5) / (among[place] + 0.5));
      rarities := rarities || rarity;
      bits := bits || (case when place <= 60 then 1::bigint << (place - 1) else 0 end
                       | case when shared[place] = any (marked) then 1::bigint << 60 else 0 end);
      whole := whole + rarity - unseen;
      bound := bound + rarity * 1.9 * most[place] / (most[place] + 0.54 + longer * least_size[place]);
    end loop;
    -- Where not even a memory with all these words would be related by them, they only tell more about what is near.
    by_words := bound >= p_threshold * whole * 0.999999 or (p_threshold <= 0.6 and shared && marked);
    close := array(select row(c.*)::recollect.nearby from unnest(close) as c order by far, id limit p_nearest);
    near := array(select id from unnest(close));
    return query
      select v_serving, v_pool, array_to_string(shared, ' '), m.id, b.cosine, b.share, b.occurring, b.standing,
             m.key_point, m.importance, m.pinned, m.created_at, m.updated_at, m.agent, m.category, m.status, m.valid_from,
             m.valid_to, m.expires_at, m.superseded_by, m.author, m.trust, m.version, m.update_count, m.context,
             m.conversation, m.first_seq, m.last_seq
      from (
        select c.id, c.share, c.occurring, m.cosine, m.standing
        from (
          select id, occurring, far, standing, created_at,
                 greatest(least(score / (cardinality(wanted) * unseen - lacking), 1),
                          case when occurring & (1::bigint << 60) > 0 then 0.6::float8 end) as share
          from (
            -- "lacking" is by how much the words that occur are less rare than one that never does
            select id, sum(rarity) as rarity, sum(lacking) as lacking, sum(score) as score, bit_or(occurring) as occurring,
                   max(far) as far, max(standing) as standing, max(created_at) as created_at
            from (
              select f.memory as id, w.rarity, unseen - w.rarity as lacking, w.bits as occurring,
                     w.rarity * 1.9::float8 * f.times / (f.times + 0.54::float8 + longer * f.size) as score,
                     null::float8 as far, null::float8 as standing, null::timestamptz as created_at
              from unnest(shared, rarities, bits) as w(stem, rarity, bits)
              cross join lateral (
                select memory, times, size from recollect.memory_words
                where tenant = p_tenant and user_id = p_user and pool = v_pool and stem = w.stem
                  and since <= moment and until > moment and (by_words or memory = any (near)) offset 0) as f
              union all
              select id, 0, 0, 1::bigint << 61, 0, far, standing, created_at from unnest(close)
            ) as either
            group by id
            having bit_or(occurring) >> case when p_threshold <= 0.6 then 60 else 61 end > 0
              or sum(score) >= p_threshold * (cardinality(wanted) * unseen - sum(lacking))
          ) as worded
          order by occurring >> 61 desc, round(rarity * 1e6) desc, id limit 2 * p_nearest
        ) as c
        cross join lateral (
          select 1 - c.far as cosine, c.standing, c.created_at where c.far is not null
          union all
          select nullif(1 - case when m.model = p_model then m.embedding <=> p_near
                                 when m.next_model = p_model then m.next_embedding <=> p_near end, 'nan'),
                 recollect.standing(m.importance, m.pinned, m.updated_at, moment), m.created_at
          from recollect.memories m where c.far is null and m.tenant = p_tenant and m.id = c.id
        ) as m
        cross join lateral (select least(greatest((m.cosine - p_lowest) * steps, 0), last_step) as step offset 0) as n
        cross join lateral (select recollect.related(n.step, p_related) as meaning offset 0) as r
        order by greatest(r.meaning, c.share) + 0.3 * least(r.meaning, c.share) + m.standing desc, m.created_at desc, c.id
        limit p_wanted
      ) as b
      cross join lateral (select * from recollect.memories m where m.tenant = p_tenant and m.id = b.id offset 0) as m;
  end if;
  if not found then
    serving := v_serving;
    pool := v_pool;
    return next;
  end if;
end $$;

revoke all on function recollect.related, recollect.find_memories from public;
grant execute on function recollect.related, recollect.find_memories to recollect_server;
