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

revoke all on function recollect.take_generation from public;
grant execute on function recollect.take_generation to recollect_server;
