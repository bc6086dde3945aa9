-- A pool has a number, by which its memories and their words are found: comparing one number takes less than comparing the names of
-- user, pool and model, and what stands beside the vectors is only what a pass over them reads.

-- The number of a pool, or of what a model made of it. It is a part of a hash that nobody can aim at; should two ever meet, whoever reads a
-- memory still asks whose it is.
create function recollect.shelf(p_user text, p_pool text, p_model text default '') returns bigint
language plpgsql immutable parallel safe strict as $$
begin
  return ('x' || encode(substr(sha256(convert_to(
    octet_length(p_user) || ' ' || octet_length(p_pool) || ' ' || p_user || p_pool || p_model, 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint;
end $$;
revoke all on function recollect.shelf from public;
grant execute on function recollect.shelf to recollect_server;

-- Compact is what a pass over the vectors reads, without a look at the table: always valid since it was written, and not too large for an
-- entry of an index, which holds at most 2,704 bytes.
drop function recollect.find_memories_as_of;
drop index recollect.memories_recalled, recollect.memories_recalled_whole;
alter table recollect.memories drop column compact;
alter table recollect.memories
  add column shelf bigint not null generated always as (recollect.shelf(user_id, pool, model)) stored,
  add column compact boolean not null generated always as (
    next_model is null and expires_at is null and valid_from <= updated_at
    and octet_length(tenant) + 2 * vector_dims(embedding) <= 2550) stored;
create index memories_recalled on recollect.memories (tenant, shelf)
  include (id, size, embedding, importance, pinned, updated_at) where status = 'active' and compact;
create index memories_recalled_whole on recollect.memories (tenant, user_id, pool)
  where status = 'active' and not compact;

-- Words that say nothing as a rule, but may be a name or what is asked for: Will, May, "what do I like?", IT, US. They are kept, and looked
-- for where they are marked.
create function recollect.words_that_name() returns text[]
language sql immutable parallel safe
return array['al', 'it', 'like', 'may', 'us', 'will'];
create function recollect.unkept_words() returns text[]
language sql immutable parallel safe
return array_remove(array_remove(array_remove(array_remove(array_remove(array_remove(
  recollect.empty_words(), 'al'), 'it'), 'like'), 'may'), 'us'), 'will');
revoke all on function recollect.words_that_name, recollect.unkept_words from public;
grant execute on function recollect.words_that_name, recollect.unkept_words to recollect_server;

-- The words of memories, by the number of their pool.
drop function recollect.words_of_memory;
alter table recollect.memory_words rename to words_before;
alter index recollect.memory_words_pkey rename to words_before_pkey;
create table recollect.memory_words (
  tenant text not null,
  shelf bigint not null,
  stem text not null,
  memory uuid not null,
  times int not null,
  size int not null,
  since timestamptz not null,
  until timestamptz not null
);
alter table recollect.words_before no force row level security;
insert into recollect.memory_words
select tenant, recollect.shelf(user_id, pool), stem, memory, times, size, since, until from recollect.words_before
order by tenant, user_id, pool, stem;
drop table recollect.words_before;

alter table recollect.memory_words enable row level security;
alter table recollect.memory_words force row level security;
create policy tenant_wall on recollect.memory_words
  using (tenant = recollect.current_tenant()) with check (tenant = recollect.current_tenant());
grant select, insert, update, delete on recollect.memory_words to recollect_server;

create function recollect.words_of_memory(m recollect.memories) returns setof recollect.memory_words
language sql stable
begin atomic
  select m.tenant, recollect.shelf(m.user_id, m.pool), left(w.lexeme, 40), m.id,
         sum(coalesce(cardinality(w.positions), 1))::int, m.size, m.valid_from, coalesce(m.expires_at, 'infinity')
  from unnest(ts_delete(m.words, recollect.unkept_words())) as w
  where m.status = 'active'
  group by left(w.lexeme, 40);
end;

alter table recollect.memories no force row level security;
alter table recollect.memory_words no force row level security;
insert into recollect.memory_words
select w.* from recollect.memories m cross join lateral recollect.words_of_memory(m) w where w.stem = any (recollect.words_that_name());
alter table recollect.memories force row level security;
alter table recollect.memory_words force row level security;
alter table recollect.memory_words
  add primary key (tenant, shelf, stem, memory) include (times, size, since, until);

create or replace function recollect.keep_words_of_memory() returns trigger
language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from recollect.memory_words w
    where w.tenant = old.tenant and w.shelf = recollect.shelf(old.user_id, old.pool) and w.memory = old.id
      and w.stem = any (array(select left(stem, 40) from unnest(tsvector_to_array(old.words)) as stem));
  end if;
  if tg_op <> 'DELETE' then
    insert into recollect.memory_words select * from recollect.words_of_memory(new);
  end if;
  return null;
end $$;

-- A memory that is near: the pass reads no more than this.
alter type recollect.nearby drop attribute created_at;

-- As in 0033 but for the numbers. Of equals the younger comes first, as its id tells; what is not near is looked up, and nothing else.
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
set random_page_cost = 1 -- what is looked at is in memory; else reading the whole table seems as good where most of it is one pool
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
  v_shelf bigint;
  v_recalled bigint;
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
  unsaid float8;
  named int := case when p_threshold <= 0.6 then 60 else 61 end;
  nearer float8;
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
    if marked && recollect.words_that_name() then
      wanted := wanted || array(
        select unnest(marked) intersect select unnest(recollect.words_that_name())
        intersect select unnest(tsvector_to_array(recollect.words_of(p_query))));
    end if;
  end if;
  -- What is apart: memories that are read from the table, and any that may be of another model.
  select p.pool, p.shelf, p.serving, w.stems, w.among, w.most, w.least,
         p.several or exists (
           select from recollect.memories m
           where m.tenant = recollect.current_tenant() and m.user_id = p_user and m.pool = p.pool and m.status = 'active' and not m.compact)
  into v_pool, v_shelf, v_serving, shared, among, most, least_size, apart
  from (
    select *, recollect.shelf(p_user, pool) as shelf
    from (
      select coalesce((select a.pool from recollect.agents a where a.tenant = recollect.current_tenant() and a.agent = p_agent), p_agent) as pool,
             max(g.model) filter (where g.status = 'serving') as serving, bool_or(g.model <> p_model) as several
      from recollect.embedding_generations g where g.tenant = recollect.current_tenant()
    ) as p
    offset 0
  ) as p
  cross join lateral (
    select array_agg(w.stem) as stems, array_agg(f.among) as among, array_agg(f.most) as most, array_agg(f.least) as least
    from unnest(wanted) as w(stem)
    cross join lateral (
      select count(*)::float8 as among, max(k.times)::float8 as most, min(k.size)::float8 as least
      from recollect.memory_words k
      where k.tenant = recollect.current_tenant() and k.shelf = p.shelf and k.stem = w.stem
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

  v_recalled := recollect.shelf(p_user, v_pool, p_model);
  if shared is null and reach > 3 then -- all that is known is asked for, and what has no direction is as far as can be
    select array_agg(row(id, coalesce(nullif(embedding <=> p_near, 'nan'), 2),
                         recollect.standing(importance, pinned, updated_at, moment))::recollect.nearby)
    into close
    from recollect.memories
    where tenant = recollect.current_tenant() and shelf = v_recalled and status = 'active' and compact;
  elsif shared is null then
    reach := farthest;
    select array_agg(row(id, embedding <=> p_near, recollect.standing(importance, pinned, updated_at, moment))::recollect.nearby)
    into close
    from recollect.memories
    where tenant = recollect.current_tenant() and shelf = v_recalled and status = 'active' and compact and embedding <=> p_near <= reach;
  else
    select count(*), sum(size),
           array_agg(row(id, embedding <=> p_near, recollect.standing(importance, pinned, updated_at, moment))::recollect.nearby)
             filter (where embedding <=> p_near <= reach)
    into held, sizes, close
    from recollect.memories
    where tenant = recollect.current_tenant() and shelf = v_recalled and status = 'active' and compact;
  end if;
  if apart then
    -- Those of another model, which count among all, and those whose validity or vector is read from the table.
    select count(*) as held, sum(size) as sizes,
           array_agg(row(id, coalesce(nullif(far, 'nan'), 2), recollect.standing(importance, pinned, updated_at, moment))::recollect.nearby)
             filter (where far <= reach or reach > 3) as close
    into other
    from (
      select m.id, m.size, m.importance, m.pinned, m.updated_at, null::float8 as far
      from recollect.embedding_generations g
      cross join lateral (
        select * from recollect.memories
        where tenant = recollect.current_tenant() and shelf = recollect.shelf(p_user, v_pool, g.model) and status = 'active' and compact
        offset 0) as m
      where g.tenant = recollect.current_tenant() and g.model <> p_model
      union all
      select id, size, importance, pinned, updated_at,
             case when model = p_model then embedding <=> p_near when next_model = p_model then next_embedding <=> p_near end
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
        from (select * from unnest(close) order by far, standing desc, id desc limit p_nearest) as c
        order by 1 - far + standing desc, id desc
        limit p_wanted
      ) as b
      cross join lateral (select * from recollect.memories m where m.tenant = recollect.current_tenant() and m.id = b.id offset 0) as m
      where m.user_id = p_user and m.pool = v_pool;
  else
    usual := greatest(sizes / nullif(held, 0), 1); -- none is counted where the model that wrote them has no generation yet
    held := greatest(held, 10); -- among a few memories, every word would seem common
    unseen := ln(1 + (held + 0.5) / 0.5);
    longer := 0.36 / usual;
    unsaid := least(cardinality(wanted), 12) * unseen; -- what all words of the question come to if none of them occurs
    whole := unsaid;
    nearer := 0.6 / nullif(reach - farthest, 0);
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
        select c.id, c.share, c.occurring, coalesce(1 - c.far, m.cosine) as cosine, coalesce(c.standing, m.standing) as standing
        from (
          select id, occurring, far, standing, least(score / greatest(unsaid - lacking, 1e-6::float8), 1) as share
          from (
            -- "lacking" is by how much the words that occur are less rare than one that never does
            select id, sum(lacking) as lacking, sum(score) as score, bit_or(occurring) as occurring, max(far) as far, max(standing) as standing
            from (
              select f.memory as id, unseen - w.rarity as lacking, w.bits as occurring,
                     w.rarity * 1.9::float8 * f.times / (f.times + 0.54::float8 + longer * f.size) as score,
                     null::float8 as far, null::float8 as standing
              from unnest(shared, rarities, bits) as w(stem, rarity, bits)
              cross join lateral (
                select memory, times, size from recollect.memory_words
                where tenant = recollect.current_tenant() and shelf = v_shelf and stem = w.stem
                  and since <= moment and until > moment and (by_words or memory = any (near)) offset 0) as f
              union all
              select id, 0, case when far <= farthest then 1::bigint << 61 else 0 end, 0, far, standing
              from unnest(close)
            ) as either
            group by id
            having bit_or(occurring) >> named > 0
              -- The nearer it is, the less it has to share; this is a little more generous than whoever asks.
              or sum(score) >= p_threshold * (unsaid - sum(lacking)) * (1 - coalesce(nearer * (reach - max(far)), 0))
          ) as worded
          -- All that is near, and of the rest, which is looked up in the table, only what may come far enough up: at best it is as
          -- near as the edge. Nothing is farther than three.
          order by least(score / greatest(unsaid - lacking, 1e-6::float8), 1) - coalesce(far, edge + 8) + coalesce(standing, 0) desc, id desc
          limit coalesce(cardinality(close), 0) + case when 3 * p_wanted <= p_nearest then 2 * p_wanted else 10 * p_nearest end
        ) as c
        left join lateral (
          select nullif(1 - case when m.model = p_model then m.embedding <=> p_near
                                 when m.next_model = p_model then m.next_embedding <=> p_near end, 'nan') as cosine,
                 recollect.standing(m.importance, m.pinned, m.updated_at, moment) as standing
          from recollect.memories m where c.far is null and m.tenant = recollect.current_tenant() and m.id = c.id offset 0
        ) as m on true
        order by c.share + coalesce(1 - c.far, m.cosine, 0) + coalesce(c.standing, m.standing) desc nulls last, c.id desc
        limit p_wanted
      ) as b
      cross join lateral (select * from recollect.memories m where m.tenant = recollect.current_tenant() and m.id = b.id offset 0) as m
      where m.user_id = p_user and m.pool = v_pool;
  end if;
  if not found then
    serving := v_serving;
    pool := v_pool;
    return next;
  end if;
end $$;

-- What was held to be true at another time, told in the same way; it is the one of 0033, which knew the column that was made anew.
create function recollect.find_memories_as_of(
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

revoke all on function recollect.find_memories_as_of, recollect.words_of_memory from public;
grant execute on function recollect.find_memories_as_of, recollect.words_of_memory to recollect_server;
