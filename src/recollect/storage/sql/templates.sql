-- name: templates_of_tenant
select name, pattern, category, importance from recollect.templates where tenant = $1 order by name;

-- name: save_template
insert into recollect.templates (tenant, name, pattern, category, importance) values ($1, $2, $3, $4, $5)
on conflict (tenant, name) do update
set pattern = excluded.pattern, category = excluded.category, importance = excluded.importance,
    updated_at = clock_timestamp();
