-- Notes: one markdown document for each user and agent, with every version it has had.

create table recollect.notes (
  tenant text not null references recollect.tenants on delete cascade,
  user_id text not null,
  agent text not null,
  text text not null default '',
  version bigint not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (tenant, user_id, agent)
);

-- The text of each version, the current one among them, so that an undo overwrites nothing.
create table recollect.note_versions (
  tenant text not null,
  user_id text not null,
  agent text not null,
  version bigint not null,
  text text not null,
  operation text not null,
  actor text not null,
  created_at timestamptz not null,
  primary key (tenant, user_id, agent, version),
  foreign key (tenant, user_id, agent) references recollect.notes on delete cascade
);


-- The wall ----------------------------------------------------------------------------------------

do $$
declare
  name text;
begin
  foreach name in array array['notes', 'note_versions']
  loop
    execute format('alter table recollect.%I enable row level security', name);
    execute format('alter table recollect.%I force row level security', name);
    execute format('create policy tenant_wall on recollect.%I using (tenant = recollect.current_tenant()) with check (tenant = recollect.current_tenant())', name);
    execute format('grant select, insert, update, delete on recollect.%I to recollect_server', name);
  end loop;
end $$;
