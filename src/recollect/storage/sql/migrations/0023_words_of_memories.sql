-- Recall over memories once more: words are looked up and no longer looked for, and a pool's vectors are passed over
-- with nothing beside them.

-- What a pass over a pool reads: whether a memory is always valid and its vector fits into an entry of an index, which
-- holds at most 2,704 bytes; and how many words it has. The others are read from the table.
drop index recollect.memories_recalled, recollect.memories_recalled_whole;
alter table recollect.memories drop column compact;
alter table recollect.memories
  add column compact boolean not null generated always as (
    next_model is null and expires_at is null
    and octet_length(tenant) + octet_length(user_id) + octet_length(pool) + octet_length(model)
    + 2 * vector_dims(embedding) <= 2500) stored,
  add column size int not null generated always as (length(words)) stored;
-- Model and time are part of the key, so that they are compared once and not for each memory.
create index memories_recalled on recollect.memories (tenant, user_id, pool, model, valid_from)
  include (id, size, embedding) where status = 'active' and compact;
create index memories_recalled_whole on recollect.memories (tenant, user_id, pool)
  where status = 'active' and not compact;

-- Which active memories of a pool have a word, how often, among how many, and from when until when that counts. Words
-- that say nothing about what is asked are left out. A stem is cut, so that it always fits into an entry of an index.
create table recollect.memory_words (
  tenant text not null,
  user_id text not null,
  pool text not null,
  stem text not null,
  memory uuid not null,
  times int not null,
  size int not null,
  since timestamptz not null,
  until timestamptz not null,
  primary key (tenant, user_id, pool, stem, memory) include (times, size, since, until)
);

alter table recollect.memory_words enable row level security;
alter table recollect.memory_words force row level security;
create policy tenant_wall on recollect.memory_words
  using (tenant = recollect.current_tenant()) with check (tenant = recollect.current_tenant());
grant select, insert, update, delete on recollect.memory_words to recollect_server;

create function recollect.words_of_memory(m recollect.memories) returns setof recollect.memory_words
language sql stable
begin atomic
  select m.tenant, m.user_id, m.pool, left(w.lexeme, 40), m.id, sum(coalesce(cardinality(w.positions), 1))::int, m.size,
         m.valid_from, coalesce(m.expires_at, 'infinity')
  from unnest(ts_delete(m.words, recollect.empty_words())) as w
  where m.status = 'active'
  group by left(w.lexeme, 40);
end;

create function recollect.keep_words_of_memory() returns trigger
language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from recollect.memory_words w
    where w.tenant = old.tenant and w.user_id = old.user_id and w.pool = old.pool and w.memory = old.id
      and w.stem = any (array(select left(stem, 40) from unnest(tsvector_to_array(old.words)) as stem));
  end if;
  if tg_op <> 'DELETE' then
    insert into recollect.memory_words select * from recollect.words_of_memory(new);
  end if;
  return null;
end $$;
create trigger keep_words after insert or delete on recollect.memories
  for each row execute function recollect.keep_words_of_memory();
create trigger keep_changed_words after update of user_id, pool, status, words, valid_from, expires_at on recollect.memories
  for each row when (
    (old.user_id, old.pool, old.status, old.words, old.valid_from, old.expires_at)
    is distinct from (new.user_id, new.pool, new.status, new.words, new.valid_from, new.expires_at))
  execute function recollect.keep_words_of_memory();

-- The words of what is there. The wall also stands before the owner, who alone may lift it, for as long as this takes.
alter table recollect.memories no force row level security;
alter table recollect.memory_words no force row level security;
insert into recollect.memory_words
select w.* from recollect.memories m cross join lateral recollect.words_of_memory(m) w;
alter table recollect.memories force row level security;
alter table recollect.memory_words force row level security;

-- A memory and how far its vector is from a question.
create type recollect.nearby as (id uuid, far float8);

drop function recollect.fetch_context;
drop function recollect.find_memories;

-- A little for what matters more, is pinned, or is fresh: enough to order, never to make unrelated related.
create function recollect.standing(importance real, pinned boolean, updated_at timestamptz, moment timestamptz)
returns float8
language sql stable parallel safe
return 0.1 * (importance - 0.5) + case when pinned then 0.05 else 0 end
  + 0.04 * exp(-least(greatest(date_part('epoch', moment - updated_at) / 86400, 0), 3000) / 30);

-- The same for what was held to be true at another time. It is asked rarely, and reads the table.
create function recollect.find_memories_as_of(
  p_tenant text, p_user text, p_pool text, p_wanted text[], p_marked text[], p_near halfvec, p_model text,
  p_as_of timestamptz, p_nearest int, p_farthest float8, p_threshold float8)
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
      and (m.expires_at is null or m.expires_at > clock_timestamp())
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
    select m.id, sum(c.rarity) as rarity,
           bit_or(case when c.place <= 60 then 1::bigint << (c.place::int - 1) else 0 end) as occurring,
           greatest(least(
             sum(c.rarity * m.times * 1.9 / (m.times + 0.9 * (0.6 + 0.4 * m.size / f.usual)))
             / (sum(c.rarity) + (cardinality(p_wanted) - count(*)) * ln(1 + (f.held + 0.5) / 0.5)), 1),
             case when bool_or(m.stem = any (p_marked)) then 0.6 end) as share
    from matches m join common c using (stem) cross join facts f
    group by m.id, f.held
  ), chosen as (
    (select w.id from worded w where w.share >= p_threshold order by round(w.rarity * 1e6) desc, w.id limit p_nearest)
    union
    (select v.id from valid v where v.far <= p_farthest order by v.far, v.id limit p_nearest)
  )
  select (select string_agg(stem, ' ' order by place) from common), v.id, 1 - v.far, coalesce(w.share, 0), w.occurring,
         recollect.standing(v.importance, v.pinned, v.updated_at, clock_timestamp()), v.key_point, v.importance, v.pinned, v.created_at, v.updated_at, v.agent, v.category, v.status, v.valid_from,
         v.valid_to, v.expires_at, v.superseded_by, v.author, v.trust, v.version, v.update_count, v.context,
         v.conversation, v.first_seq, v.last_seq
  from chosen c join valid v on v.id = c.id left join worded w on w.id = c.id
  order by v.created_at desc, v.id;
end;

-- Everything in an agent's pool that could answer: the nearest by vector, down to the cosine p_least, and those that
-- share the rarest words with the question and are related by them (p_threshold); p_nearest of each. Exact, and only
-- within the scope. The vectors of the pool are passed over once, and what is near is kept as an array: most of a pool
-- is not worth a row of its own. How large the pool is matters only to words, so without a word in common nobody counts.
--
-- "wording" is how much of what the question is about occurs in a memory: BM25 (k1 .9, b .4), as a share of what a full
-- match would score. A name or a code that matches (p_names) is worth "related" by itself, whatever else is asked.
-- "stems" are those of the question that occur in the pool, and "occurring" says which of them occur here, by their places,
-- as bits: those after the 60th are not told.
--
-- One row for each memory, the newest first; one without a memory if there is none, since it also says which model serves.
create function recollect.find_memories(
  p_tenant text, p_user text, p_agent text, p_query text, p_near halfvec, p_model text, p_as_of timestamptz,
  p_nearest int, p_names text, p_least float8, p_threshold float8)
returns table (
  serving text, pool text, stems text, id uuid, cosine float8, wording float8, occurring bigint, standing float8,
  key_point text, importance real, pinned boolean, created_at timestamptz, updated_at timestamptz, through text, category text, status text,
  valid_from timestamptz, valid_to timestamptz, expires_at timestamptz, superseded_by uuid, author text, trust text,
  version int, update_count int, context jsonb, conversation uuid, first_seq bigint, last_seq bigint)
language plpgsql stable rows 20
set plan_cache_mode = force_generic_plan -- a plan for the words of each question would take longer than the search
as $$
#variable_conflict use_column
declare
  tenant_set text := set_config('recollect.tenant', p_tenant, true);
  farthest float8 := 1 - p_least;
  moment timestamptz := clock_timestamp();
  wanted text[] := tsvector_to_array(ts_delete(recollect.words_of(p_query), recollect.empty_words()));
  marked text[] := '{}';
  v_serving text;
  v_pool text;
  held float8;
  sizes float8;
  usual float8;
  close recollect.nearby[];
  other record;
  shared text[];
  among float8[];
  apart boolean;
  told text;
begin
  if p_query ~ '\S{41}' then -- as they are kept
    wanted := array(select distinct left(stem, 40) from unnest(wanted) as stem);
  end if;
  if p_names <> '' then
    marked := array(select left(stem, 40) from unnest(tsvector_to_array(recollect.words_of(p_names))) as stem);
  end if;
  -- What is apart: memories that are read from the table, and any that may be of another model.
  select p.pool, p.serving, w.stems, w.among,
         p.several or exists (
           select from recollect.memories m
           where m.tenant = p_tenant and m.user_id = p_user and m.pool = p.pool and m.status = 'active' and not m.compact)
  into v_pool, v_serving, shared, among, apart
  from (
    select coalesce((select a.pool from recollect.agents a where a.tenant = p_tenant and a.agent = p_agent), p_agent) as pool,
           max(g.model) filter (where g.status = 'serving') as serving, bool_or(g.model <> p_model) as several
    from recollect.embedding_generations g where g.tenant = p_tenant
  ) as p
  cross join lateral (
    select array_agg(w.stem) as stems, array_agg(f.among) as among
    from unnest(wanted) as w(stem)
    cross join lateral (
      select count(*)::float8 as among from recollect.memory_words k
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
    select array_agg(row(id, embedding <=> p_near)::recollect.nearby) into close
    from recollect.memories
    where tenant = p_tenant and user_id = p_user and pool = v_pool and status = 'active' and compact
      and model = p_model and valid_from <= moment and embedding <=> p_near <= farthest;
  else
    select count(*), sum(size),
           array_agg(row(id, embedding <=> p_near)::recollect.nearby) filter (where embedding <=> p_near <= farthest)
    into held, sizes, close
    from recollect.memories
    where tenant = p_tenant and user_id = p_user and pool = v_pool and status = 'active' and compact
      and model = p_model and valid_from <= moment;
  end if;
  if apart then
    -- Those of another model, which count among all, and those whose validity or vector is read from the table.
    select count(*) as held, sum(size) as sizes,
           array_agg(row(id, far)::recollect.nearby) filter (where far <= farthest) as close
    into other
    from (
      select size, id, null::float8 as far from recollect.memories
      where tenant = p_tenant and user_id = p_user and pool = v_pool and status = 'active' and compact
        and model < p_model and valid_from <= moment
      union all
      select size, id, null from recollect.memories
      where tenant = p_tenant and user_id = p_user and pool = v_pool and status = 'active' and compact
        and model > p_model and valid_from <= moment
      union all
      select size, id, case when model = p_model then embedding <=> p_near
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
      select v_serving, v_pool, null::text, m.id, 1 - c.far, 0::float8, 0::bigint,
             recollect.standing(m.importance, m.pinned, m.updated_at, moment), m.key_point, m.importance, m.pinned,
             m.created_at, m.updated_at, m.agent, m.category, m.status, m.valid_from, m.valid_to, m.expires_at,
             m.superseded_by, m.author, m.trust, m.version, m.update_count, m.context, m.conversation, m.first_seq,
             m.last_seq
      from (select id, far from unnest(close) order by far, id limit p_nearest) as c
      cross join lateral (select * from recollect.memories m where m.tenant = p_tenant and m.id = c.id offset 0) as m
      order by m.created_at desc, m.id;
  else
    told := array_to_string(shared, ' ');
    usual := greatest(sizes / held, 1);
    held := greatest(held, 10); -- among a few memories, every word would seem common
    return query
      with chosen as (
        select id, share, occurring
        from (
          select id, rarity, occurring,
                 greatest(least(score / (rarity + (cardinality(wanted) - number) * ln(1 + (held + 0.5) / 0.5)), 1),
                          case when occurring & (1::bigint << 60) > 0 then 0.6 end) as share
          from (
            select id, sum(rarity) as rarity, sum(number) as number, sum(score) as score, bit_or(occurring) as occurring
            from (
              select f.memory as id, w.rarity, 1 as number, w.bits as occurring,
                     w.rarity * f.times * 1.9 / (f.times + 0.9 * (0.6 + 0.4 * f.size / usual)) as score
              from (
                select stem, ln(1 + (held - a + 0.5) / (a + 0.5)) as rarity,
                       (case when place <= 60 then 1::bigint << (place::int - 1) else 0 end)
                       | (case when stem = any (marked) then 1::bigint << 60 else 0 end) as bits
                from unnest(shared, among) with ordinality as s(stem, a, place)
              ) as w
              cross join lateral (
                select memory, times, size from recollect.memory_words
                where tenant = p_tenant and user_id = p_user and pool = v_pool and stem = w.stem
                  and since <= moment and until > moment offset 0) as f
              union all
              select id, 0, 0, 1::bigint << 61, 0 from (select id from unnest(close) order by far, id limit p_nearest) as c
            ) as either
            group by id
          ) as summed
        ) as worded
        where share >= p_threshold or occurring >> 61 > 0
        order by occurring >> 61 desc, round(rarity * 1e6) desc, id limit 2 * p_nearest
      )
      select v_serving, v_pool, told, m.id, m.cosine, c.share, c.occurring,
             recollect.standing(m.importance, m.pinned, m.updated_at, moment), m.key_point, m.importance, m.pinned,
             m.created_at, m.updated_at, m.agent, m.category, m.status, m.valid_from, m.valid_to, m.expires_at,
             m.superseded_by, m.author, m.trust, m.version, m.update_count, m.context, m.conversation, m.first_seq,
             m.last_seq
      from chosen c
      cross join lateral (
        select m.*, nullif(1 - case when m.model = p_model then m.embedding <=> p_near
                                    when m.next_model = p_model then m.next_embedding <=> p_near end, 'nan') as cosine
        from recollect.memories m where m.tenant = p_tenant and m.id = c.id offset 0) as m
      order by m.created_at desc, m.id;
  end if;
  if not found then
    serving := v_serving;
    pool := v_pool;
    return next;
  end if;
end $$;

-- The agent's settings, the notes, the state, the summary if there is something older than the window, and the newest
-- messages as arrays, the newest first; no row if there is no such conversation. Where a workflow leads, its state says
-- what matters, and the last three messages beside the newest question are enough.
create function recollect.fetch_context(p_tenant text, p_conversation uuid, p_window int, p_query text)
returns table (
  user_id text, agent text, model text, instructions text, budget int, notes text, summary text, state json,
  seqs bigint[], message_ids text[], roles text[], contents text[], said_at timestamptz[], names text[],
  metadata jsonb[], tool_calls jsonb[], tool_call_ids text[], parts jsonb[], answers bigint[])
language plpgsql stable rows 1
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  tenant_set text := set_config('recollect.tenant', p_tenant, true);
  stated boolean;
  stood record;
  newest record;
  wanted int;
begin
  select c.user_id, c.agent, a.model, coalesce(a.instructions, ''), coalesce(a.budget, 2000), n.text, d.summary,
         coalesce(p_window, a.window_size, 12), s.version is not null or a.workflow is not null
  into user_id, agent, model, instructions, budget, notes, summary, wanted, stated
  from recollect.conversations c
  left join recollect.agents a on a.tenant = p_tenant and a.agent = c.agent
  left join recollect.notes n on n.tenant = p_tenant and n.user_id = c.user_id and n.agent = c.agent
  left join recollect.digests d on d.tenant = p_tenant and d.conversation = p_conversation
  left join recollect.states s on s.tenant = p_tenant and s.conversation = p_conversation
  where c.tenant = p_tenant and c.id = p_conversation;
  if not found then
    return;
  end if;
  if stated then
    select * into stood from recollect.state_of(p_tenant, p_conversation);
    state := row_to_json(stood);
    if p_window is null and stood.workflow is not null then
      select m.role, m.content into newest
      from recollect.messages m where m.tenant = p_tenant and m.conversation = p_conversation
      order by m.seq desc limit 1;
      wanted := case when newest.role = 'user' and left(newest.content, length(p_query)) = p_query then 4 else 3 end;
    end if;
  end if;
  select array_agg(m.seq), array_agg(m.id::text), array_agg(m.role), array_agg(m.content), array_agg(m.created_at),
         array_agg(m.name), array_agg(m.metadata), array_agg(m.tool_calls), array_agg(m.tool_call_id),
         array_agg(m.parts), array_agg(m.answers)
  into seqs, message_ids, roles, contents, said_at, names, metadata, tool_calls, tool_call_ids, parts, answers
  from (
    select * from recollect.messages m where m.tenant = p_tenant and m.conversation = p_conversation
    order by m.seq desc limit wanted
  ) as m;
  -- A window of no messages reaches back to nothing: then everything is older.
  if summary is not null and not exists (
    select from recollect.messages m
    where m.tenant = p_tenant and m.conversation = p_conversation
      and (seqs is null or m.seq < seqs[cardinality(seqs)])) then
    summary := null;
  end if;
  return next;
end $$;

revoke all on function recollect.standing, recollect.words_of_memory, recollect.keep_words_of_memory, recollect.find_memories,
  recollect.find_memories_as_of, recollect.fetch_context from public;
grant execute on function recollect.standing, recollect.words_of_memory, recollect.keep_words_of_memory, recollect.find_memories,
  recollect.find_memories_as_of, recollect.fetch_context to recollect_server;
