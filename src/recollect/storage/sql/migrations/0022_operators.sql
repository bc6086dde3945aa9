-- Operators, who run the installation, see which tenants there are; nobody else does, and they see nothing else.

-- The tenants after a name, and how many of their keys open something. It runs as the owner of the tables, who may see
-- the names of tenants and that there are keys; whether whoever asks is an operator, the server has decided.
create function recollect.tenants_in_numbers(p_after text, p_limit int)
returns table (tenant text, created_at timestamptz, keys bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select t.tenant, t.created_at, (
    select count(*) from recollect.api_keys k
    where k.tenant = t.tenant and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > clock_timestamp()))
  from recollect.tenants t where t.tenant > p_after order by t.tenant limit p_limit
$$;

revoke all on function recollect.tenants_in_numbers from public;
grant execute on function recollect.tenants_in_numbers to recollect_server;
