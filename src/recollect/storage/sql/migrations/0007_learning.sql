-- How it learns: work with leases, what was digested of each conversation, pools, refusals, and what models cost.

-- A claim gets the next token; only the holder of the current one may finish. What has failed too often keeps its
-- row, with failed_at, until somebody retries it.
alter table recollect.work
  add column token bigint not null default 0,
  add column leased_until timestamptz,
  add column attempts int not null default 0,
  add column failed_at timestamptz,
  add column error text; -- the kind of error; never its text, which could quote a message

-- How far a conversation has been learned from, and what it comes to. Beside the conversation and not in it: an
-- append must not wait for whoever digests.
create table recollect.digests (
  tenant text not null,
  conversation uuid not null,
  learned_seq bigint not null default 0,
  summary text,
  summary_seq bigint not null default 0, -- the last message that the summary covers
  summary_by text, -- rules, or the name of a model
  sentiment real, -- from -1 to 1
  sentiment_seq bigint not null default 0,
  updated_at timestamptz not null default clock_timestamp(),
  primary key (tenant, conversation),
  foreign key (tenant, conversation) references recollect.conversations on delete cascade
);

-- How often a pool was updated since it was last consolidated.
create table recollect.pools (
  tenant text not null references recollect.tenants on delete cascade,
  user_id text not null,
  pool text not null,
  updates int not null default 0,
  consolidated_at timestamptz,
  primary key (tenant, user_id, pool)
);

-- Why something was not learned. The text is not kept: it may be the very secret that was refused.
create table recollect.refusals (
  tenant text not null,
  conversation uuid not null,
  id bigint generated always as identity,
  user_id text not null,
  pool text not null,
  first_seq bigint not null,
  last_seq bigint not null,
  reason text not null,
  at timestamptz not null default clock_timestamp(),
  primary key (tenant, conversation, id),
  foreign key (tenant, conversation) references recollect.conversations on delete cascade
);

-- What language models used for a tenant on a day.
create table recollect.spending (
  tenant text not null references recollect.tenants on delete cascade,
  day date not null,
  calls bigint not null default 0,
  tokens_sent bigint not null default 0,
  tokens_received bigint not null default 0,
  primary key (tenant, day)
);

do $$
declare
  name text;
begin
  foreach name in array array['digests', 'pools', 'refusals', 'spending']
  loop
    execute format('alter table recollect.%I enable row level security', name);
    execute format('alter table recollect.%I force row level security', name);
    execute format('create policy tenant_wall on recollect.%I using (tenant = recollect.current_tenant()) with check (tenant = recollect.current_tenant())', name);
    execute format('grant select, insert, update, delete on recollect.%I to recollect_server', name);
  end loop;
end $$;

-- The last 12 messages are read along the key. While a table has no statistics, the planner prefers the smaller of two
-- indexes, and the one by time is smaller where many messages came at once; then it read the whole conversation. As a
-- partial index it can only be used by a statement that asks for a time.
drop index recollect.messages_by_time;
create index messages_by_time on recollect.messages (tenant, conversation, created_at) where created_at > '-infinity';
