-- Queries of the migration itself; they run as an administrator or as recollect_owner.

-- name: migration_lock
-- One migration at a time in this database; released with the transaction.
select pg_advisory_xact_lock(hashtextextended('recollect.migrations', 0));

-- name: migration_roles
-- Roles belong to the whole cluster, so another database may be making the same ones at this moment.
do $$
declare
  name text;
begin
  foreach name in array array['recollect_owner', 'recollect_server'] loop
    if not exists (select from pg_roles where rolname = name) then
      begin
        execute format('create role %I nologin', name);
      exception when duplicate_object or unique_violation then
        null;
      end;
    end if;
    if not pg_has_role(current_user, name, 'set') then
      execute format('grant %I to current_user with inherit true, set true', name);
    end if;
  end loop;
end $$;

-- name: migration_vectors
-- The extension goes where the login makes things, and into `public` where it names no place. Where it was there before, as in the schema
-- `extensions` of Supabase, our roles may need to be let in; a grant by who may not only warns.
do $$
declare
  name text;
  place name;
begin
  if current_schema() is null then
    set local search_path = public;
  end if;
  create extension if not exists vector;
  select n.nspname into place from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector';
  foreach name in array array['recollect_owner', 'recollect_server'] loop
    if not has_schema_privilege(name, place, 'usage') then
      execute format('grant usage on schema %I to %I', place, name);
      if not has_schema_privilege(name, place, 'usage') then
        raise insufficient_privilege using message = format('no grant on schema %s', place);
      end if;
    end if;
  end loop;
end $$;

-- name: look_at_vectors
-- Our statements name every schema but that of `halfvec` and its operators, which is another one from place to place.
select set_config('search_path', quote_ident(n.nspname), true)
from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector';

-- name: migration_ground
-- Row level security here too, so that every table of the schema has it: all may read, the owner may write.
do $$
begin
  if not exists (select from pg_namespace where nspname = 'recollect') then
    create schema recollect authorization recollect_owner;
  end if;
  -- The relations that clients of others know. The schema may be there already, and somebody else's.
  if not exists (select from pg_namespace where nspname = 'api') then
    create schema api authorization recollect_owner;
  elsif not has_schema_privilege('recollect_owner', 'api', 'create') then
    grant usage, create on schema api to recollect_owner;
  end if;
  if to_regclass('recollect.migrations') is null then
    set local role recollect_owner;
    create table recollect.migrations (
      number int primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    );
    alter table recollect.migrations enable row level security;
    alter table recollect.migrations force row level security;
    create policy all_may_read on recollect.migrations for select using (true);
    create policy owner_writes on recollect.migrations to recollect_owner using (true) with check (true);
    grant usage on schema recollect to recollect_server;
    grant select on recollect.migrations to recollect_server;
    reset role;
  end if;
end $$;

-- name: in_the_way
-- What a login that may not prepare the ground lacks, from the catalogue.
select session_user::text as login,
       (select pg_get_userbyid(nspowner)::text from pg_namespace
        where nspname = 'recollect' and nspowner is distinct from to_regrole('recollect_owner')) as schema_of,
       array(select rolname::text from pg_roles
             where rolname in ('recollect_owner', 'recollect_server') and not pg_has_role(session_user, oid, 'set')
             order by rolname) as no_member_of,
       not l.rolsuper and not l.rolcreaterole
         and (to_regrole('recollect_owner') is null or to_regrole('recollect_server') is null) as may_not_make_roles,
       not has_database_privilege(session_user, current_database(), 'create') as may_not_create,
       not l.rolsuper and not exists (select from pg_extension where extname = 'vector')
         and not exists (
           select from pg_available_extension_versions where name = 'vector' and trusted) as needs_vector,
       (select n.nspname::text from pg_extension e join pg_namespace n on n.oid = e.extnamespace
        where e.extname = 'vector' and not has_schema_privilege('public', n.oid, 'usage')
          and not has_schema_privilege(session_user, n.oid, 'usage with grant option')
          and not coalesce(has_schema_privilege(to_regrole('recollect_owner'), n.oid, 'usage')
                           and has_schema_privilege(to_regrole('recollect_server'), n.oid, 'usage'), false)) as closed_vectors,
       (select pg_get_userbyid(nspowner)::text from pg_namespace
        where nspname = 'api' and not pg_has_role(session_user, nspowner, 'usage')
          and not coalesce(has_schema_privilege(to_regrole('recollect_owner'), oid, 'create'), false)) as api_of
from pg_roles l where l.rolname = session_user;

-- name: migrations_applied
select number, name, checksum from recollect.migrations order by number;

-- name: record_migration
insert into recollect.migrations (number, name, checksum) values ($1, $2, $3);

-- name: become_owner
set local role recollect_owner;

-- name: lock_timeout
select set_config('lock_timeout', $1, true);

-- name: lock_tables
-- All of them before anything is changed: else whoever is at work holds one and waits for another, and the migration the other way round.
do $$
begin
  execute (select 'lock table ' || string_agg(oid::regclass::text, ', ' order by relname) || ' in access exclusive mode' from pg_class
           where relnamespace = 'recollect'::regnamespace and relkind = 'r' and relowner = 'recollect_owner'::regrole);
end $$;

-- name: become_self
reset role;

-- name: schema_there
-- From the catalogue, which a login without any rights on the schema may read too.
select exists (select from pg_tables where schemaname = 'recollect' and tablename = 'migrations');

-- name: owned_by_others
-- One who has tables of ours, which only recollect_owner may have: a restore without our roles gives them to whoever restores.
select pg_get_userbyid(relowner)::text from pg_class
where relnamespace = 'recollect'::regnamespace and relkind = 'r'
  and (relowner is distinct from to_regrole('recollect_owner') or to_regrole('recollect_server') is null)
limit 1;

-- name: server_facts
-- What has to be right before the first statement, in one look.
select current_setting('server_version_num')::int as version,
       current_setting('server_encoding') as encoding,
       current_setting('synchronous_commit') = 'off' as forgetful,
       (select extversion from pg_extension where extname = 'vector') as vector,
       (select default_version from pg_available_extensions where name = 'vector') as vector_available;

-- name: place_of_vectors
-- Where pgvector is, and whether whoever works here may look there, and does.
select n.nspname::text as schema, quote_ident(n.nspname) as path, has_schema_privilege(n.oid, 'usage') as may_look,
       to_regtype('halfvec') is not null as looks
from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector';

-- name: role_facts
-- Whether this login may act as the server's role, and whether it stands above the wall by itself.
select pg_has_role(session_user, 'recollect_server', 'set') as may_serve,
       pg_has_role(session_user, 'recollect_server', 'usage') as has_rights,
       pg_has_role(session_user, 'recollect_owner', 'usage') as is_owner,
       (select rolsuper or rolbypassrls from pg_roles where rolname = session_user) as above_wall,
       (select rolsuper or rolbypassrls from pg_roles where rolname = 'recollect_server') as server_above_wall;

-- name: serving
-- One row on a connection that works as the server's role.
select where current_user = 'recollect_server';
