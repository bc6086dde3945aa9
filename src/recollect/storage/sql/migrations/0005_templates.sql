-- Named patterns for common kinds of memory, beside those that come with us.
create table recollect.templates (
  tenant text not null references recollect.tenants on delete cascade,
  name text not null,
  pattern text not null,
  category text,
  importance real not null default 0.5,
  updated_at timestamptz not null default clock_timestamp(),
  primary key (tenant, name)
);
alter table recollect.templates enable row level security;
alter table recollect.templates force row level security;
create policy tenant_wall on recollect.templates
  using (tenant = recollect.current_tenant()) with check (tenant = recollect.current_tenant());
grant select, insert, update, delete on recollect.templates to recollect_server;
