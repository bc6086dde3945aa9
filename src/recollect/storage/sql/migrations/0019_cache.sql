-- What caches are believed by, and the document that a conversation may have beside its messages.

-- One row, of no tenant: numbers only. Every process that caches reads it a few times a second, and believes what is
-- cached only for a moment after that (docs: the ADR on the cache that never lies).
create table recollect.cache_trust (
  tenant text primary key default '*' check (tenant = '*'),
  installation uuid not null default gen_random_uuid(), -- two databases may use one Redis by mistake
  epoch bigint not null default 1, -- what was cached under another number is not believed
  settings bigint not null default 1, -- the same for what processes keep to themselves
  server text not null default '', -- the Redis that all must use: its run, or the primaries of a cluster
  chosen_at timestamptz not null default '-infinity',
  distrusted_since timestamptz not null default '-infinity',
  distrusted_until timestamptz not null default '-infinity', -- until then nothing that is shared is believed
  shared_at timestamptz not null default '-infinity' -- when a process with a Redis was last opened
);
insert into recollect.cache_trust default values;
alter table recollect.cache_trust enable row level security;
alter table recollect.cache_trust force row level security;
create policy numbers_for_everybody on recollect.cache_trust using (true) with check (true);
grant select, update on recollect.cache_trust to recollect_server;

-- Nothing that is shared is believed for the next seconds. Where this was so already, it only goes on, and the epoch
-- stays: then "remaining" says how long it had left, and whoever asks must check that this took no longer. The clock is read
-- under the lock.
create function recollect.distrust_cache(p_seconds float8, p_anew boolean)
returns table (epoch bigint, held float8, remaining float8)
language plpgsql as $$
declare
  old recollect.cache_trust;
  moment timestamptz;
begin
  select * into old from recollect.cache_trust for update;
  moment := clock_timestamp();
  if p_anew or old.distrusted_until <= moment then
    old.epoch := old.epoch + 1;
    old.distrusted_since := moment;
    remaining := 0;
  else
    remaining := extract(epoch from old.distrusted_until - moment);
  end if;
  update recollect.cache_trust c
  set epoch = old.epoch, distrusted_since = old.distrusted_since,
      distrusted_until = greatest(old.distrusted_until, moment + make_interval(secs => p_seconds));
  epoch := old.epoch;
  held := extract(epoch from moment - old.distrusted_since);
  return next;
end $$;

-- From now on this is the Redis that is believed, once nobody can believe the one before any more. Those who see two
-- different ones, after a split or by a mistake in their settings, do not take turns faster than every ten seconds.
create function recollect.choose_cache_server(p_server text, p_seconds float8)
returns void
language plpgsql as $$
declare
  old recollect.cache_trust;
begin
  select * into old from recollect.cache_trust for update;
  if old.server <> p_server and old.chosen_at < clock_timestamp() - interval '10 seconds' then
    update recollect.cache_trust
    set server = p_server, chosen_at = clock_timestamp(), epoch = old.epoch + 1, distrusted_since = clock_timestamp(),
        distrusted_until = greatest(old.distrusted_until, clock_timestamp() + make_interval(secs => p_seconds));
  end if;
end $$;
revoke all on function recollect.distrust_cache(float8, boolean), recollect.choose_cache_server(text, float8) from public;
grant execute on function recollect.distrust_cache(float8, boolean), recollect.choose_cache_server(text, float8)
  to recollect_server;

-- One versioned document for each conversation.
create table recollect.conversation_memories (
  tenant text not null,
  conversation uuid not null,
  document jsonb not null,
  version bigint not null default 1,
  actor text not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (tenant, conversation),
  foreign key (tenant, conversation) references recollect.conversations on delete cascade
);
alter table recollect.conversation_memories enable row level security;
alter table recollect.conversation_memories force row level security;
create policy tenant_wall on recollect.conversation_memories
  using (tenant = recollect.current_tenant()) with check (tenant = recollect.current_tenant());
grant select, insert, update, delete on recollect.conversation_memories to recollect_server;
