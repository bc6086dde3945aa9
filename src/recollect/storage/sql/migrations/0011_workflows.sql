-- Workflows of a tenant's own, and the state of a conversation with everything that has happened to it.

-- Every definition that there has been: a conversation goes on with the one that it began with. As json, and not
-- jsonb, the fields of a draft keep the order in which they were written down.
create table recollect.workflows (
  tenant text not null references recollect.tenants on delete cascade,
  name text not null,
  version int not null,
  definition json not null,
  actor text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant, name, version)
);

-- The workflow that an agent's conversations begin with; none leaves their states free in form.
alter table recollect.agents add column workflow text;

-- Beside the conversation and not in it: an append must not rewrite a draft of many kilobytes.
create table recollect.states (
  tenant text not null,
  conversation uuid not null,
  workflow text,
  workflow_version int not null, -- 0 is the definition that comes with us
  step text,
  draft jsonb not null,
  last_action text,
  metadata jsonb not null,
  version bigint not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (tenant, conversation),
  foreign key (tenant, conversation) references recollect.conversations on delete cascade
);

-- Changes, and what was refused: a refusal has no snapshot and leaves the version as it was.
create table recollect.state_history (
  tenant text not null,
  conversation uuid not null,
  id bigint generated always as identity,
  version bigint not null,
  at_seq bigint not null, -- the number of the newest message at that time
  change text not null check (change in ('update', 'move', 'action', 'undo', 'refused')),
  cause text not null check (cause in ('message', 'tool', 'person', 'model', 'system')),
  ref text, -- which message or tool it was
  patch jsonb,
  from_step text,
  to_step text,
  refused text,
  snapshot jsonb, -- the state after it
  actor text not null,
  at timestamptz not null default clock_timestamp(),
  primary key (tenant, conversation, id),
  foreign key (tenant, conversation) references recollect.conversations on delete cascade
);

do $$
declare
  name text;
begin
  foreach name in array array['workflows', 'states', 'state_history']
  loop
    execute format('alter table recollect.%I enable row level security', name);
    execute format('alter table recollect.%I force row level security', name);
    execute format('create policy tenant_wall on recollect.%I using (tenant = recollect.current_tenant()) with check (tenant = recollect.current_tenant())', name);
    execute format('grant select, insert, update, delete on recollect.%I to recollect_server', name);
  end loop;
end $$;

-- A conversation's state and the definition of its workflow, in one round trip; no row if there is no such
-- conversation. Before the first change the workflow is the agent's, and version is null. The definition is null where
-- the workflow is one of ours.
create function recollect.state_of(p_tenant text, p_conversation uuid)
returns table (workflow text, workflow_version int, definition json, step text, draft jsonb, last_action text,
               metadata jsonb, version bigint, created_at timestamptz, updated_at timestamptz, last_seq bigint)
language plpgsql as $$
begin
  perform set_config('recollect.tenant', p_tenant, true);
  return query
    select coalesce(s.workflow, a.workflow), coalesce(s.workflow_version, w.version, 0), w.definition,
           s.step, s.draft, s.last_action, s.metadata, s.version, s.created_at, s.updated_at, c.last_seq
    from recollect.conversations c
    left join recollect.states s on s.tenant = c.tenant and s.conversation = c.id
    left join recollect.agents a on a.tenant = c.tenant and a.agent = c.agent and s.version is null
    left join lateral (
      select d.version, d.definition from recollect.workflows d
      where d.tenant = c.tenant and d.name = coalesce(s.workflow, a.workflow)
        and (s.version is null or d.version = s.workflow_version)
      order by d.version desc limit 1
    ) w on true
    where c.tenant = p_tenant and c.id = p_conversation;
end $$;

-- The same for whoever is about to change it. The conversation's row is locked first, as an append does it, so that
-- a turn that appends and then changes the state cannot meet another one halfway. The second statement sees what was
-- committed while the first one waited.
create function recollect.lock_state(p_tenant text, p_conversation uuid)
returns table (workflow text, workflow_version int, definition json, step text, draft jsonb, last_action text,
               metadata jsonb, version bigint, created_at timestamptz, updated_at timestamptz, last_seq bigint)
language plpgsql as $$
begin
  perform set_config('recollect.tenant', p_tenant, true);
  perform from recollect.conversations c where c.tenant = p_tenant and c.id = p_conversation for no key update;
  return query select * from recollect.state_of(p_tenant, p_conversation);
end $$;

revoke all on function recollect.state_of, recollect.lock_state from public;
grant execute on function recollect.state_of, recollect.lock_state to recollect_server;
