-- Recall over memories reads an index instead of the table: the memories of a user are spread over all of its pages.

-- Whether what a search looks at fits into an entry of an index, which holds at most 2,704 bytes. A long text, or
-- the vector of a large model, is read from the table; so is a memory that waits with a vector of the next generation.
alter table recollect.memories add column compact boolean not null generated always as (
  next_model is null
  and octet_length(tenant) + octet_length(user_id) + octet_length(pool) + octet_length(model)
  + octet_length(words::text) + 4 * length(words) + 2 * vector_dims(embedding) <= 2400) stored;
create index memories_recalled on recollect.memories (tenant, user_id, pool)
  include (id, model, expires_at, valid_from, words, embedding) where status = 'active' and compact;
create index memories_recalled_whole on recollect.memories (tenant, user_id, pool)
  where status = 'active' and not compact;

drop function recollect.fetch_context;
drop function recollect.find_memories;

-- Everything in an agent's pool that could answer: the nearest by vector, down to the cosine p_least, and whatever
-- shares a word with the question, with what ranking needs: how often each word of the question occurs, in how many
-- memories, and how long they are. Exact, and only within the scope. The pool is passed over once, and what could
-- answer is kept as arrays: most of a pool is not worth a row of its own. Records are arrays in the order of the
-- fields that callers know, since names would take most of the time.
create function recollect.find_memories(
  p_tenant text, p_user text, p_agent text, p_query text, p_vector real[], p_model text, p_as_of timestamptz,
  p_nearest int, p_names text, p_least float8)
returns json
language plpgsql
set enable_nestloop = off -- nobody has counted a new pool yet: a plan for one row would compare all with all
as $$
declare
  whose text;
  near halfvec := p_vector::halfvec; -- once, and not for every memory
  moment timestamptz := clock_timestamp();
  wanted text[] := tsvector_to_array(ts_delete(recollect.words_of(p_query), recollect.empty_words()));
  marked text[] := tsvector_to_array(ts_delete(recollect.words_of(p_names), recollect.empty_words()));
  any_of tsquery := (select string_agg(quote_literal(stem), ' | ') from unnest(wanted) as stem)::tsquery;
  held bigint;
  usual float8;
  ids uuid[];
  cosines float8[];
  sizes int[];
  matching tsvector[];
begin
  perform set_config('recollect.tenant', p_tenant, true);
  select pool into whose from recollect.agents where tenant = p_tenant and agent = p_agent;
  whose := coalesce(whose, p_agent);

  select count(*), coalesce(sum(size)::float8 / nullif(count(*), 0), 0),
         array_agg(id) filter (where cosine >= p_least or matches),
         array_agg(cosine) filter (where cosine >= p_least or matches),
         array_agg(size) filter (where cosine >= p_least or matches),
         array_agg(case when matches then words end) filter (where cosine >= p_least or matches)
  into held, usual, ids, cosines, sizes, matching
  from (
    select id, words, length(words) as size, words @@ any_of as matches,
           nullif(case when model = p_model then 1 - (embedding <=> near)
                       when next_model = p_model then 1 - (next_embedding <=> near) end, 'nan') as cosine
    from (
      select id, words, model, embedding, null as next_model, null::halfvec as next_embedding from recollect.memories
      where p_as_of is null and tenant = p_tenant and user_id = p_user and pool = whose and status = 'active' and compact
        and (expires_at is null or expires_at > moment) and valid_from <= moment
      union all
      select id, words, model, embedding, next_model, next_embedding from recollect.memories
      where p_as_of is null and tenant = p_tenant and user_id = p_user and pool = whose and status = 'active'
        and not compact and (expires_at is null or expires_at > moment) and valid_from <= moment
      union all
      select id, words, model, embedding, next_model, next_embedding from recollect.memories
      where p_as_of is not null and tenant = p_tenant and user_id = p_user and pool = whose
        and status <> 'quarantined' and (expires_at is null or expires_at > moment)
        and valid_from <= p_as_of and (valid_to is null or valid_to > p_as_of)
    ) as valid
    offset 0
  ) as scope;

  return (
    with could as materialized (
      select * from unnest(ids, cosines, sizes, matching) as c(id, cosine, size, words)
    ), matches as materialized (
      select id, (word).lexeme, coalesce(cardinality((word).positions), 1) as times
      from (select id, unnest(ts_filter(setweight(words, 'A', wanted), '{a}')) as word from could where words is not null) w
    ), common as (
      select lexeme, count(*)::int as among, ln(1 + (held - count(*) + 0.5::float8) / (count(*) + 0.5::float8)) as rarity
      from matches group by lexeme
    ), lexical as (
      select m.id, array_agg(m.lexeme) as stems, array_agg(m.times) as times, array_agg(c.among) as among
      from matches m join common c using (lexeme)
      group by m.id
      order by round(sum(c.rarity * m.times / (m.times + 0.9::float8))::numeric, 9) desc, m.id
      limit p_nearest
    ), nearest as (
      select id from could where cosine >= p_least order by cosine desc, id limit p_nearest
    ), chosen as materialized (
      select c.id, c.cosine, c.size, l.stems, l.times, l.among
      from could c
      left join lexical l on l.id = c.id
      left join nearest n on n.id = c.id
      where l.id is not null or n.id is not null
    )
    select json_build_array(held, usual, wanted, marked, coalesce(json_agg(json_build_array(
      c.cosine, c.size, c.stems, c.times, c.among,
      m.id, m.key_point, m.importance, m.pinned, m.created_at, m.updated_at, json_build_array(
        m.user_id, m.pool, m.agent, m.category, m.status, m.valid_from, m.valid_to, m.expires_at, m.superseded_by,
        m.author, m.trust, m.version, m.update_count, m.context, m.conversation, m.first_seq, m.last_seq))), '[]'),
      (select g.model from recollect.embedding_generations g where g.tenant = p_tenant and g.status = 'serving'))
    from chosen c join recollect.memories m on m.id = c.id
    where m.tenant = p_tenant and m.id = any (array(select id from chosen))
  );
end $$;

-- The agent's settings, the notes, the newest messages, the summary if there is something older than those, and
-- the memories that could answer; no row if there is no such conversation.
create function recollect.fetch_context(
  p_tenant text, p_conversation uuid, p_window int, p_query text, p_vector real[], p_model text, p_as_of timestamptz,
  p_nearest int, p_names text, p_least float8)
returns table (agent text, instructions text, budget int, notes text, summary text, messages json, memories json)
language plpgsql as $$
declare
  talk record;
  setting record;
  oldest bigint;
begin
  perform set_config('recollect.tenant', p_tenant, true);
  select c.user_id, c.agent into talk
  from recollect.conversations c where c.tenant = p_tenant and c.id = p_conversation;
  if not found then
    return;
  end if;
  select a.instructions, a.window_size, a.budget into setting
  from recollect.agents a where a.tenant = p_tenant and a.agent = talk.agent;
  agent := talk.agent;
  instructions := coalesce(setting.instructions, '');
  budget := coalesce(setting.budget, 2000);
  select n.text into notes
  from recollect.notes n where n.tenant = p_tenant and n.user_id = talk.user_id and n.agent = talk.agent;
  select coalesce(json_agg(recollect.message_record(m) order by m.seq), '[]'), min(m.seq) into messages, oldest
  from (
    select * from recollect.messages m where m.tenant = p_tenant and m.conversation = p_conversation
    order by m.seq desc limit coalesce(p_window, setting.window_size, 12)
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

revoke all on function recollect.find_memories, recollect.fetch_context from public;
grant execute on function recollect.find_memories, recollect.fetch_context to recollect_server;
