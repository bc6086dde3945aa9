-- What is known about a user: memories in pools, their versions, tombstones; and agents' settings.

-- How an agent is set up. Its pool is whose memories it reads and writes: its own, unless it names another.
create table recollect.agents (
  tenant text not null references recollect.tenants on delete cascade,
  agent text not null,
  instructions text not null default '',
  window_size int not null default 12,
  budget int not null default 2000,
  pool text,
  version int not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (tenant, agent)
);

create table recollect.memories (
  tenant text not null references recollect.tenants on delete cascade,
  id uuid not null,
  user_id text not null,
  pool text not null,
  agent text not null, -- through whom it was learned
  key_point text not null,
  category text,
  importance real not null default 0.5,
  pinned boolean not null default false,
  status text not null default 'active', -- active, quarantined, retired
  valid_from timestamptz not null default clock_timestamp(),
  valid_to timestamptz,
  expires_at timestamptz,
  superseded_by uuid,
  conversation uuid, -- where it comes from; kept when the conversation is gone
  first_seq bigint,
  last_seq bigint,
  author text not null, -- user, agent, tool, or the extractor and its model
  trust text not null default 'trusted',
  by_person boolean not null default false, -- written or corrected by a person: extraction leaves it alone
  context jsonb,
  update_count int not null default 0,
  version int not null default 1,
  fingerprint bytea not null, -- of the normalised text: tells the same thing said again
  words tsvector not null,
  model text not null, -- whose vector this is: vectors of two models are never compared
  embedding halfvec not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (tenant, id)
);
create index memories_of_pool on recollect.memories (tenant, user_id, pool, created_at desc, id);
create unique index memories_said_once on recollect.memories (tenant, user_id, pool, fingerprint) where status <> 'retired';

create table recollect.memory_versions (
  tenant text not null,
  memory uuid not null,
  version int not null,
  key_point text not null,
  category text,
  importance real not null,
  pinned boolean not null,
  status text not null,
  expires_at timestamptz,
  valid_from timestamptz not null,
  valid_to timestamptz,
  change text not null, -- remember, revise, undo, release, retire
  actor text not null,
  at timestamptz not null default clock_timestamp(),
  primary key (tenant, memory, version),
  foreign key (tenant, memory) references recollect.memories on delete cascade
);

-- What was forgotten or corrected must not be learned again. No text is kept, only what tells it.
create table recollect.tombstones (
  tenant text not null,
  user_id text not null,
  pool text not null,
  fingerprint bytea not null,
  conversation uuid,
  first_seq bigint,
  last_seq bigint,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant, user_id, pool, fingerprint)
);

do $$
declare
  name text;
begin
  foreach name in array array['agents', 'memories', 'memory_versions', 'tombstones']
  loop
    execute format('alter table recollect.%I enable row level security', name);
    execute format('alter table recollect.%I force row level security', name);
    execute format('create policy tenant_wall on recollect.%I using (tenant = recollect.current_tenant()) with check (tenant = recollect.current_tenant())', name);
    execute format('grant select, insert, update, delete on recollect.%I to recollect_server', name);
  end loop;
end $$;

-- A memory as the record that callers know.
create function recollect.memory_record(m recollect.memories) returns json
language sql stable
return json_build_object(
  'id', m.id, 'text', m.key_point, 'user', m.user_id, 'pool', m.pool, 'agent', m.agent, 'category', m.category,
  'importance', m.importance, 'pinned', m.pinned, 'status', m.status, 'created_at', m.created_at,
  'updated_at', m.updated_at, 'valid_from', m.valid_from, 'valid_to', m.valid_to, 'expires_at', m.expires_at,
  'superseded_by', m.superseded_by, 'author', m.author, 'trust', m.trust, 'version', m.version,
  'update_count', m.update_count, 'context', coalesce(m.context, '{}'::jsonb),
  'source', case when m.conversation is not null then
    json_build_object('conversation', m.conversation, 'first', m.first_seq, 'last', m.last_seq) end);

-- Stems of words that say nothing about what is asked, in English and Spanish: a match on them alone is none.
create function recollect.empty_words() returns text[]
language sql immutable parallel safe
return regexp_split_to_array(trim('
  a about all am an and any are as at be been but by can could did do doe does for from had has have
  he her him his how i if in into is it its just like make may me might more most my need no not of on
  onli or our out she should so some someth such tell than that the their them then there these they
  thing this those to too up us use user veri want was we were what when where which who whi will with
  would you your al como con cual cuando de del donde el ella en era es esta este fue ha hay la las lo
  los mi mis muy nos o para pero por que quien se ser si sin su sus te tu tus un una y ya yo'), '\s+');

-- Everything in an agent's pool that could answer: the nearest by vector, and whatever shares a word with the
-- question, with what ranking needs: how often each word of the question occurs, in how many memories, and how
-- long they are. Exact, and only within the scope.
create function recollect.find_memories(
  p_tenant text, p_user text, p_agent text, p_query text, p_vector text, p_model text, p_as_of timestamptz,
  p_nearest int, p_names text)
returns json
language plpgsql
set enable_nestloop = off -- nobody has counted a new pool yet: a plan for one row would compare all with all
as $$
declare
  whose text;
  near halfvec := p_vector::text::halfvec; -- once, and not for every memory
begin
  perform set_config('recollect.tenant', p_tenant, true);
  select pool into whose from recollect.agents where tenant = p_tenant and agent = p_agent;
  whose := coalesce(whose, p_agent);
  return (
    with wanted as materialized (
      select tsvector_to_array(ts_delete(recollect.words_of(p_query), recollect.empty_words())) as stems,
             tsvector_to_array(ts_delete(recollect.words_of(p_names), recollect.empty_words())) as marked
    ), looked_for as materialized (
      select string_agg(quote_literal(stem), ' | ')::tsquery as any_of from wanted, unnest(wanted.stems) as stem
    ), scope as materialized (
      select m, m.id, m.words, length(m.words) as size,
             case when m.model = p_model then 1 - (m.embedding <=> near) end as cosine
      from recollect.memories m
      where m.tenant = p_tenant and m.user_id = p_user and m.pool = whose
        and (m.expires_at is null or m.expires_at > clock_timestamp())
        and case when p_as_of is null then m.status = 'active' and m.valid_from <= clock_timestamp()
                 else m.valid_from <= p_as_of and (m.valid_to is null or m.valid_to > p_as_of)
                      and m.status <> 'quarantined' end
    ), facts as materialized (
      select count(*) as held, coalesce(avg(size), 0)::float8 as usual from scope
    ), matches as materialized (
      select s.id, w.lexeme, coalesce(cardinality(w.positions), 1) as times
      from scope s, lateral unnest(s.words) as w(lexeme, positions, weights)
      where s.words @@ (select any_of from looked_for)
        and w.lexeme = any ((select wanted.stems from wanted)::text[])
    ), common as (
      select lexeme, count(*) as among from matches group by lexeme
    ), lexical as (
      select m.id, array_agg(m.lexeme) as stems, array_agg(m.times::int) as times, array_agg(c.among::int) as among
      from matches m join common c using (lexeme)
      group by m.id
      order by sum(ln(1 + ((select held from facts) - c.among + 0.5) / (c.among + 0.5)) * m.times / (m.times + 0.9)) desc,
               m.id
      limit p_nearest
    ), nearest as (
      select id from scope where cosine is not null order by cosine desc, id limit p_nearest
    )
    select json_build_object(
      'held', (select held from facts),
      'usual', (select usual from facts),
      'wanted', (select wanted.stems from wanted),
      'marked', (select wanted.marked from wanted),
      'candidates', coalesce(json_agg(json_build_object(
        'memory', recollect.memory_record(s.m), 'cosine', s.cosine, 'size', s.size,
        'stems', coalesce(l.stems, '{}'), 'times', coalesce(l.times, '{}'), 'among', coalesce(l.among, '{}'))), '[]'))
    from scope s
    left join lexical l on l.id = s.id
    left join nearest n on n.id = s.id
    where l.id is not null or n.id is not null
  );
end $$;

revoke all on function recollect.memory_record, recollect.empty_words, recollect.find_memories from public;
grant execute on function recollect.memory_record, recollect.empty_words, recollect.find_memories to recollect_server;
