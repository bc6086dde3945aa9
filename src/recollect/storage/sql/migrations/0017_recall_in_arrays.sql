-- Recall over memories again, with less work for the server.

drop function recollect.fetch_context;
drop function recollect.find_memories;

-- Everything in an agent's pool that could answer: the nearest by vector, down to the cosine p_least, and those that
-- share the rarest words with the question; p_nearest of each. Exact, and only within the scope. The pool is passed
-- over once, and what could answer is kept as arrays: most of a pool is not worth a row of its own.
--
-- "wordings" is how much of what the question is about occurs in each: BM25 (k1 .9, b .4), as a share of what a full
-- match would score. A name or a code that matches (p_names) is worth "related" by itself, whatever else is asked.
--
-- One row of arrays, one place in all of them for each memory: they travel in binary form, where JSON would take as
-- long to write as all the rest.
create function recollect.find_memories(
  p_tenant text, p_user text, p_agent text, p_query text, p_vector real[], p_model text, p_as_of timestamptz,
  p_nearest int, p_names text, p_least float8)
returns table (
  serving text, whose text, pool text,
  ids uuid[], cosines float8[], wordings float8[], stems text[], key_points text[], importances real[], pins boolean[],
  created timestamptz[], updated timestamptz[], agents text[], categories text[], statuses text[],
  valid_froms timestamptz[], valid_tos timestamptz[], expiries timestamptz[], superseded uuid[], authors text[],
  trusts text[], versions int[], update_counts int[], contexts jsonb[], conversations uuid[], firsts bigint[],
  lasts bigint[])
language plpgsql
set enable_nestloop = off -- nobody has counted a new pool yet: a plan for one row would compare all with all
as $$
#variable_conflict use_column
declare
  near halfvec := p_vector::halfvec; -- once, and not for every memory
  moment timestamptz := clock_timestamp();
  wanted text[] := tsvector_to_array(ts_delete(recollect.words_of(p_query), recollect.empty_words()));
  marked text[] := tsvector_to_array(ts_delete(recollect.words_of(p_names), recollect.empty_words()));
  any_of tsquery := (select string_agg(quote_literal(stem), ' | ') from unnest(wanted) as stem)::tsquery;
  v_pool text;
  held float8;
  usual float8;
  could uuid[];
  near_by float8[];
  sizes int[];
  matching tsvector[];
begin
  perform set_config('recollect.tenant', p_tenant, true);
  select a.pool into v_pool from recollect.agents a where a.tenant = p_tenant and a.agent = p_agent;
  v_pool := coalesce(v_pool, p_agent);

  select count(*), greatest(avg(size), 1),
         array_agg(id) filter (where counts), array_agg(cosine) filter (where counts),
         array_agg(size) filter (where counts), array_agg(case when matches then words end) filter (where counts)
  into held, usual, could, near_by, sizes, matching
  from (
    select id, words, size, matches, cosine, cosine >= p_least or matches as counts
    from (
      select id, words, length(words) as size, words @@ any_of as matches,
             nullif(case when model = p_model then 1 - (embedding <=> near)
                         when next_model = p_model then 1 - (next_embedding <=> near) end, 'nan') as cosine
      from (
        select id, words, model, embedding, null as next_model, null::halfvec as next_embedding
        from recollect.memories
        where p_as_of is null and tenant = p_tenant and user_id = p_user and pool = v_pool and status = 'active'
          and compact and (expires_at is null or expires_at > moment) and valid_from <= moment
        union all
        select id, words, model, embedding, next_model, next_embedding from recollect.memories
        where p_as_of is null and tenant = p_tenant and user_id = p_user and pool = v_pool and status = 'active'
          and not compact and (expires_at is null or expires_at > moment) and valid_from <= moment
        union all
        select id, words, model, embedding, next_model, next_embedding from recollect.memories
        where p_as_of is not null and tenant = p_tenant and user_id = p_user and pool = v_pool
          and status <> 'quarantined' and (expires_at is null or expires_at > moment)
          and valid_from <= p_as_of and (valid_to is null or valid_to > p_as_of)
      ) as valid
      offset 0
    ) as compared
    offset 0
  ) as scope;
  held := greatest(held, 10); -- among a few memories, every word would seem common

  return query
    with candidates as materialized (
      select * from unnest(could, near_by, sizes, matching) as c(id, cosine, size, words)
    ), asked as materialized (
      select stem, quote_literal(stem)::tsquery as query from unnest(wanted) as stem
    ), matches as materialized (
      select id, stem from candidates, asked where words @@ query
    ), common as materialized (
      select stem, ln(1 + (held - count(*) + 0.5) / (count(*) + 0.5)) as rarity from matches group by stem
    ), lexical as (
      select id from matches join common using (stem) group by id order by round(sum(rarity) * 1e6) desc, id limit p_nearest
    ), nearest as (
      select id from candidates where cosine >= p_least order by cosine desc, id limit p_nearest
    ), chosen as materialized (
      select * from candidates where id in (select id from lexical) or id in (select id from nearest)
    ), worded as (
      select id, string_agg(stem, ' ') as stems, bool_or(stem = any (marked)) as named,
             sum(rarity * times * 1.9 / (times + 0.9 * (0.6 + 0.4 * size / usual)))
             / (sum(rarity) + (cardinality(wanted) - count(*)) * ln(1 + (held + 0.5) / 0.5)) as share
      from (
        select id, size, (word).lexeme as stem, coalesce(cardinality((word).positions), 1)::float8 as times
        from (select id, size, unnest(ts_filter(setweight(words, 'A', wanted), '{a}')) as word from chosen) w
      ) as found join common using (stem)
      group by id
    )
    select (select g.model from recollect.embedding_generations g where g.tenant = p_tenant and g.status = 'serving'),
           p_user, v_pool,
           array_agg(m.id), array_agg(c.cosine),
           array_agg(greatest(least(coalesce(w.share, 0), 1), case when w.named then 0.6 end)),
           array_agg(w.stems), array_agg(m.key_point), array_agg(m.importance), array_agg(m.pinned),
           array_agg(m.created_at), array_agg(m.updated_at), array_agg(m.agent), array_agg(m.category),
           array_agg(m.status), array_agg(m.valid_from), array_agg(m.valid_to), array_agg(m.expires_at),
           array_agg(m.superseded_by), array_agg(m.author), array_agg(m.trust), array_agg(m.version),
           array_agg(m.update_count), array_agg(m.context), array_agg(m.conversation), array_agg(m.first_seq),
           array_agg(m.last_seq)
    from chosen c left join worded w using (id) join recollect.memories m using (id)
    where m.tenant = p_tenant and m.id = any (array(select id from chosen));
end $$;

-- The agent's settings, the notes, the state, the summary if there is something older than the window, and the newest
-- messages as arrays, the newest first; no row if there is no such conversation. Where a workflow leads, its state says
-- what matters, and the last three messages beside the newest question are enough.
create function recollect.fetch_context(p_tenant text, p_conversation uuid, p_window int, p_query text)
returns table (
  user_id text, agent text, model text, instructions text, budget int, notes text, summary text, state json,
  seqs bigint[], message_ids text[], roles text[], contents text[], said_at timestamptz[], names text[],
  metadata jsonb[], tool_calls jsonb[], tool_call_ids text[], parts jsonb[], answers bigint[])
language plpgsql as $$
declare
  talk record;
  setting record;
  stood record;
  newest record;
  wanted int;
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
  select array_agg(m.seq), array_agg(m.id::text), array_agg(m.role), array_agg(m.content), array_agg(m.created_at),
         array_agg(m.name), array_agg(m.metadata), array_agg(m.tool_calls), array_agg(m.tool_call_id),
         array_agg(m.parts), array_agg(m.answers)
  into seqs, message_ids, roles, contents, said_at, names, metadata, tool_calls, tool_call_ids, parts, answers
  from (
    select * from recollect.messages m where m.tenant = p_tenant and m.conversation = p_conversation
    order by m.seq desc limit wanted
  ) as m;
  -- A window of no messages reaches back to nothing: then everything is older.
  select d.summary into summary
  from recollect.digests d
  where d.tenant = p_tenant and d.conversation = p_conversation and d.summary is not null and exists (
    select from recollect.messages m
    where m.tenant = p_tenant and m.conversation = p_conversation
      and (seqs is null or m.seq < seqs[cardinality(seqs)]));
  return next;
end $$;

drop function recollect.memory_record;

revoke all on function recollect.find_memories, recollect.fetch_context from public;
grant execute on function recollect.find_memories, recollect.fetch_context to recollect_server;
