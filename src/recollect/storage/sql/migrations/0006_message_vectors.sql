-- What a message means, as a vector; beside the messages, so that they can be embedded later and again.

-- The model is part of the key: a new one fills in beside the old one, and vectors of two models are never
-- compared. No index on the vectors: under row level security none may be used, and within one user's
-- conversations every vector is compared anyway, so that nothing is missed.
create table recollect.message_vectors (
  tenant text not null,
  conversation uuid not null,
  seq bigint not null,
  model text not null,
  embedding halfvec not null,
  primary key (tenant, conversation, seq, model),
  foreign key (tenant, conversation, seq) references recollect.messages on delete cascade
);
-- Kept in the row where it fits: fetching each vector from aside costs more than comparing it.
alter table recollect.message_vectors alter column embedding set storage main;

alter table recollect.message_vectors enable row level security;
alter table recollect.message_vectors force row level security;
create policy tenant_wall on recollect.message_vectors
  using (tenant = recollect.current_tenant()) with check (tenant = recollect.current_tenant());
grant select, insert, update, delete on recollect.message_vectors to recollect_server;
