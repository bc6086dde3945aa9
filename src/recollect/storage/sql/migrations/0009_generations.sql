-- Generations of vectors: a new model fills in beside the old one, which serves until the new one is complete.

-- The models that a tenant's vectors are of. One of them serves: questions are asked with it, and what is new gets its
-- vector. One may be filling; the others are retired. Messages are gone through in order of their keys, up to
-- "reached".
create table recollect.embedding_generations (
  tenant text not null references recollect.tenants on delete cascade,
  model text not null,
  status text not null check (status in ('serving', 'filling', 'retired')),
  reached_conversation uuid,
  reached_seq bigint,
  began_at timestamptz not null default clock_timestamp(),
  changed_at timestamptz not null default clock_timestamp(),
  primary key (tenant, model)
);
create unique index generations_serving on recollect.embedding_generations (tenant) where status = 'serving';

alter table recollect.embedding_generations enable row level security;
alter table recollect.embedding_generations force row level security;
create policy tenant_wall on recollect.embedding_generations
  using (tenant = recollect.current_tenant()) with check (tenant = recollect.current_tenant());
grant select, insert, update, delete on recollect.embedding_generations to recollect_server;

-- The vector of the generation that fills; empty in the usual case of one generation, and then a search never looks.
alter table recollect.memories add column next_model text, add column next_embedding halfvec;

-- What is there is of the model that most of it is of. The wall also stands before the owner, who alone may lift it,
-- for as long as this takes.
do $$
declare
  name text;
  walled text[] := array['tenants', 'memories', 'message_vectors', 'embedding_generations'];
begin
  foreach name in array walled
  loop
    execute format('alter table recollect.%I no force row level security', name);
  end loop;
  insert into recollect.embedding_generations (tenant, model, status)
  select distinct on (tenant) tenant, model, 'serving'
  from (select tenant, model from recollect.memories
        union all
        select tenant, model from recollect.message_vectors) as vectors
  group by tenant, model
  order by tenant, count(*) desc, model;
  foreach name in array walled
  loop
    execute format('alter table recollect.%I force row level security', name);
  end loop;
end $$;

-- The model that serves; the first one to ask makes it its own. Whoever writes vectors holds the tenant until the end of
-- the transaction, so that no other generation begins to serve meanwhile.
create function recollect.take_generation(p_tenant text, p_model text) returns text
language plpgsql as $$
begin
  insert into recollect.tenants (tenant) values (p_tenant) on conflict do nothing;
  perform from recollect.tenants where tenant = p_tenant for key share;
  insert into recollect.embedding_generations (tenant, model, status)
  select p_tenant, p_model, 'serving'
  where not exists (
    select from recollect.embedding_generations where tenant = p_tenant and status = 'serving')
  on conflict do nothing;
  return (select model from recollect.embedding_generations where tenant = p_tenant and status = 'serving');
end $$;

-- Everything in an agent's pool that could answer: the nearest by vector, and whatever shares a word with the
-- question, with what ranking needs: how often each word of the question occurs, in how many memories, and how
-- long they are. Exact, and only within the scope.
create or replace function recollect.find_memories(
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
             case when m.model = p_model then 1 - (m.embedding <=> near)
                  when m.next_model = p_model then 1 - (m.next_embedding <=> near) end as cosine
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
      'serving', (select g.model from recollect.embedding_generations g
                  where g.tenant = p_tenant and g.status = 'serving'),
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

revoke all on function recollect.take_generation from public;
grant execute on function recollect.take_generation to recollect_server;
