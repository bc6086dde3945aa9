-- Of what shares words with a question but is not near to it, only as many are looked up in the table as may be sent. They were chosen by how
-- rare their words are; now by what decides in the end, as far as it is known without looking.
-- The functions are those of 0030 but for this, and for names, which are taken apart without a statement of their own.
create or replace function recollect.find_memories(
  p_tenant text, p_user text, p_agent text, p_query text, p_near halfvec, p_unnamed halfvec, p_model text,
  p_as_of timestamptz, p_nearest int, p_names text, p_least float8, p_lowest float8, p_threshold float8, p_wanted int)
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
  reach float8 := 1 - p_lowest;
  edge float8 := reach; -- all that is not in close is farther
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
  if p_query ~ '\S{41}' or octet_length(p_query) > length(p_query) then -- as they are kept; a ligature becomes several letters
    wanted := array(select distinct left(stem, 40) from unnest(wanted) as stem);
  end if;
  if p_names <> '' then
    marked := tsvector_to_array(recollect.words_of(p_names));
    if p_names ~ '\S{41}' or octet_length(p_names) > length(p_names) then
      marked := array(select left(stem, 40) from unnest(marked) as stem);
    end if;
  end if;
  -- What is apart: memories that are read from the table, and any that may be of another model.
  select p.pool, p.serving, w.stems, w.among, w.most, w.least,
         p.several or exists (
           select from recollect.memories m
           where m.tenant = recollect.current_tenant() and m.user_id = p_user and m.pool = p.pool and m.status = 'active' and not m.compact)
  into v_pool, v_serving, shared, among, most, least_size, apart
  from (
    select coalesce((select a.pool from recollect.agents a where a.tenant = recollect.current_tenant() and a.agent = p_agent), p_agent) as pool,
           max(g.model) filter (where g.status = 'serving') as serving, bool_or(g.model <> p_model) as several
    from recollect.embedding_generations g where g.tenant = recollect.current_tenant()
  ) as p
  cross join lateral (
    select array_agg(w.stem) as stems, array_agg(f.among) as among, array_agg(f.most) as most, array_agg(f.least) as least
    from unnest(wanted) as w(stem)
    cross join lateral (
      select count(*)::float8 as among, max(k.times)::float8 as most, min(k.size)::float8 as least
      from recollect.memory_words k
      where k.tenant = recollect.current_tenant() and k.user_id = p_user and k.pool = p.pool and k.stem = w.stem
        and k.since <= moment and k.until > moment) as f
    where f.among > 0
  ) as w;
  if shared && marked then
    p_near := coalesce(p_unnamed, p_near);
  end if;
  if p_as_of is not null then
    return query
      select v_serving, v_pool, past.* from recollect.find_memories_as_of(
        p_tenant, p_user, v_pool, wanted, marked, p_near, p_model, p_as_of, p_nearest, farthest, reach, p_threshold) as past;
    if not found then
      serving := v_serving;
      pool := v_pool;
      return next;
    end if;
    return;
  end if;

  if shared is null and reach > 3 then -- all that is known is asked for, and what has no direction is as far as can be
    select array_agg(row(id, coalesce(nullif(embedding <=> p_near, 'nan'), 2), recollect.standing(importance, pinned, updated_at, moment),
                         created_at)::recollect.nearby)
    into close
    from recollect.memories
    where tenant = recollect.current_tenant() and user_id = p_user and pool = v_pool and status = 'active' and compact
      and model = p_model and valid_from <= moment;
  elsif shared is null then
    reach := farthest;
    select array_agg(row(id, embedding <=> p_near, recollect.standing(importance, pinned, updated_at, moment),
                         created_at)::recollect.nearby)
    into close
    from recollect.memories
    where tenant = recollect.current_tenant() and user_id = p_user and pool = v_pool and status = 'active' and compact
      and model = p_model and valid_from <= moment and embedding <=> p_near <= reach;
  else
    select count(*), sum(size),
           array_agg(row(id, embedding <=> p_near, recollect.standing(importance, pinned, updated_at, moment),
                         created_at)::recollect.nearby) filter (where embedding <=> p_near <= reach)
    into held, sizes, close
    from recollect.memories
    where tenant = recollect.current_tenant() and user_id = p_user and pool = v_pool and status = 'active' and compact
      and model = p_model and valid_from <= moment;
  end if;
  if apart then
    -- Those of another model, which count among all, and those whose validity or vector is read from the table.
    select count(*) as held, sum(size) as sizes,
           array_agg(row(id, coalesce(nullif(far, 'nan'), 2), recollect.standing(importance, pinned, updated_at, moment),
                         created_at)::recollect.nearby) filter (where far <= reach or reach > 3) as close
    into other
    from (
      select *, null::float8 as far from recollect.memories
      where tenant = recollect.current_tenant() and user_id = p_user and pool = v_pool and status = 'active' and compact
        and model < p_model and valid_from <= moment
      union all
      select *, null from recollect.memories
      where tenant = recollect.current_tenant() and user_id = p_user and pool = v_pool and status = 'active' and compact
        and model > p_model and valid_from <= moment
      union all
      select *, case when model = p_model then embedding <=> p_near
                     when next_model = p_model then next_embedding <=> p_near end
      from recollect.memories
      where tenant = recollect.current_tenant() and user_id = p_user and pool = v_pool and status = 'active' and not compact
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
        select id, 1 - far as cosine, standing
        from (select * from unnest(close) order by far, standing desc, id limit p_nearest) as c
        order by 1 - far + standing desc, created_at desc, id
        limit p_wanted
      ) as b
      cross join lateral (select * from recollect.memories m where m.tenant = recollect.current_tenant() and m.id = b.id offset 0) as m;
  else
    usual := greatest(sizes / held, 1);
    held := greatest(held, 10); -- among a few memories, every word would seem common
    unseen := ln(1 + (held + 0.5) / 0.5);
    longer := 0.36 / usual;
    whole := least(cardinality(wanted), 12) * unseen;
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
    if cardinality(close) > p_nearest then
      close := array(select row(c.*)::recollect.nearby from unnest(close) as c order by far, id limit p_nearest);
      edge := (close[p_nearest]).far;
    end if;
    if not by_words then
      near := array(select id from unnest(close));
    end if;
    return query
      select v_serving, v_pool, array_to_string(shared, ' '), m.id, b.cosine, b.share, b.occurring, b.standing,
             m.key_point, m.importance, m.pinned, m.created_at, m.updated_at, m.agent, m.category, m.status, m.valid_from,
             m.valid_to, m.expires_at, m.superseded_by, m.author, m.trust, m.version, m.update_count, m.context,
             m.conversation, m.first_seq, m.last_seq
      from (
        select c.id, c.share, c.occurring, m.cosine, m.standing
        from (
          select * from (
            select id, occurring, far, standing, created_at,
                   least(score / greatest(least(cardinality(wanted), 12) * unseen - lacking, 1e-6::float8), 1) as share
            from (
              -- "lacking" is by how much the words that occur are less rare than one that never does
              select id, sum(lacking) as lacking, sum(score) as score, bit_or(occurring) as occurring,
                     max(far) as far, max(standing) as standing, max(created_at) as created_at
              from (
                select f.memory as id, unseen - w.rarity as lacking, w.bits as occurring,
                       w.rarity * 1.9::float8 * f.times / (f.times + 0.54::float8 + longer * f.size) as score,
                       null::float8 as far, null::float8 as standing, null::timestamptz as created_at
                from unnest(shared, rarities, bits) as w(stem, rarity, bits)
                cross join lateral (
                  select memory, times, size from recollect.memory_words
                  where tenant = recollect.current_tenant() and user_id = p_user and pool = v_pool and stem = w.stem
                    and since <= moment and until > moment and (by_words or memory = any (near)) offset 0) as f
                union all
                select id, 0, case when far <= farthest then 1::bigint << 61 else 0 end, 0, far, standing, created_at
                from unnest(close)
              ) as either
              group by id
              having bit_or(occurring) >> case when p_threshold <= 0.6 then 60 else 61 end > 0
                -- The nearer it is, the less it has to share; this is a little more generous than whoever asks.
                or sum(score) >= p_threshold * (least(cardinality(wanted), 12) * unseen - sum(lacking))
                  * (1 - coalesce(0.6::float8 * (reach - max(far)) / nullif(reach - farthest, 0), 0))
            ) as worded
          ) as shares
          -- What is not near is looked up in the table, so only what may come far enough up: at best it is as near as the edge.
          order by far is null, share + (1 - coalesce(far, edge)) + coalesce(standing, 0) desc, id desc
          limit coalesce(cardinality(close), 0) + case when 3 * p_wanted <= p_nearest then 2 * p_wanted else 10 * p_nearest end
        ) as c
        cross join lateral (
          select 1 - c.far as cosine, c.standing, c.created_at where c.far is not null
          union all
          select nullif(1 - case when m.model = p_model then m.embedding <=> p_near
                                 when m.next_model = p_model then m.next_embedding <=> p_near end, 'nan'),
                 recollect.standing(m.importance, m.pinned, m.updated_at, moment), m.created_at
          from recollect.memories m where c.far is null and m.tenant = recollect.current_tenant() and m.id = c.id
        ) as m
        order by c.share + coalesce(m.cosine, 0) + m.standing desc, m.created_at desc, c.id
        limit p_wanted
      ) as b
      cross join lateral (select * from recollect.memories m where m.tenant = recollect.current_tenant() and m.id = b.id offset 0) as m;
  end if;
  if not found then
    serving := v_serving;
    pool := v_pool;
    return next;
  end if;
end $$;

-- What was held to be true at another time, told in the same way.
create or replace function recollect.find_memories_as_of(
  p_tenant text, p_user text, p_pool text, p_wanted text[], p_marked text[], p_near halfvec, p_model text,
  p_as_of timestamptz, p_nearest int, p_farthest float8, p_reach float8, p_threshold float8)
returns table (
  stems text, id uuid, cosine float8, wording float8, occurring bigint, standing float8, key_point text, importance real, pinned boolean,
  created_at timestamptz, updated_at timestamptz, through text, category text, status text, valid_from timestamptz,
  valid_to timestamptz, expires_at timestamptz, superseded_by uuid, author text, trust text, version int,
  update_count int, context jsonb, conversation uuid, first_seq bigint, last_seq bigint)
language sql stable
set enable_nestloop = off -- nobody has counted a new pool yet: a plan for one row would compare all with all
begin atomic
  with valid as materialized (
    select m.*, nullif(case when m.model = p_model then m.embedding <=> p_near
                            when m.next_model = p_model then m.next_embedding <=> p_near end, 'nan') as far
    from recollect.memories m
    where m.tenant = p_tenant and m.user_id = p_user and m.pool = p_pool and m.status <> 'quarantined'
      and (m.expires_at is null or m.expires_at > p_as_of)
      and m.valid_from <= p_as_of and (m.valid_to is null or m.valid_to > p_as_of)
  ), facts as materialized (
    select greatest(count(*), 10)::float8 as held, greatest(avg(size), 1)::float8 as usual from valid
  ), matches as materialized (
    select v.id, v.size, left(w.lexeme, 40) as stem, sum(coalesce(cardinality(w.positions), 1))::float8 as times
    from valid v, unnest(v.words) as w
    where left(w.lexeme, 40) = any (p_wanted)
    group by v.id, v.size, left(w.lexeme, 40)
  ), common as materialized (
    select stem, ln(1 + (held - count(*) + 0.5) / (count(*) + 0.5)) as rarity, row_number() over (order by stem) as place
    from matches, facts group by stem, held
  ), worded as materialized (
    select m.id,
           bit_or(case when c.place <= 60 then 1::bigint << (c.place::int - 1) else 0 end
                  | case when m.stem = any (p_marked) then 1::bigint << 60 else 0 end) as occurring,
           least(
             sum(c.rarity * m.times * 1.9 / (m.times + 0.9 * (0.6 + 0.4 * m.size / f.usual)))
             / greatest(sum(c.rarity) + (least(cardinality(p_wanted), 12) - count(*)) * ln(1 + (f.held + 0.5) / 0.5), 1e-6), 1) as share
    from matches m join common c using (stem) cross join facts f
    group by m.id, f.held
  ), chosen as (
    (select w.id from worded w join valid v on v.id = w.id
     where w.share >= p_threshold or (p_threshold <= 0.6 and w.occurring >= 1::bigint << 60)
     order by w.share - coalesce(v.far, 1) + recollect.standing(v.importance, v.pinned, v.updated_at, clock_timestamp()) desc,
              v.created_at desc, w.id limit p_nearest)
    union
    (select v.id from valid v where v.far <= p_farthest or p_farthest > 3 order by v.far, v.id limit p_nearest)
    union
    (select v.id from valid v join worded w on w.id = v.id
     where v.far <= p_reach and w.share >= p_threshold * (1 - 0.6 * (p_reach - v.far) / nullif(p_reach - p_farthest, 0))
     order by v.far, v.id limit p_nearest)
  )
  select (select string_agg(stem, ' ' order by place) from common), v.id, 1 - v.far, coalesce(w.share, 0), w.occurring,
         recollect.standing(v.importance, v.pinned, v.updated_at, clock_timestamp()), v.key_point, v.importance, v.pinned, v.created_at, v.updated_at, v.agent, v.category, v.status, v.valid_from,
         v.valid_to, v.expires_at, v.superseded_by, v.author, v.trust, v.version, v.update_count, v.context,
         v.conversation, v.first_seq, v.last_seq
  from chosen c join valid v on v.id = c.id left join worded w on w.id = c.id
  order by v.created_at desc, v.id;
end;
