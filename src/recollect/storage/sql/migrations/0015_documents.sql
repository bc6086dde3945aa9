-- Documents: JSON values by namespace and key, with the versions that they have had, and searchable like memories.

-- The namespace is a path. In this collation all that is below a path lies side by side in the index. A document may
-- belong to a user, and goes with that user then. With a ttl (seconds), a read may put off its end.
create table recollect.documents (
  tenant text not null references recollect.tenants on delete cascade,
  id uuid not null,
  namespace text[] collate "C" not null check (cardinality(namespace) > 0),
  key text collate "C" not null,
  user_id text,
  value jsonb not null,
  version bigint not null default 1,
  ttl float8,
  expires_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (tenant, id)
);
create unique index documents_by_key on recollect.documents (tenant, namespace, key);
create index documents_of_user on recollect.documents (tenant, user_id) where user_id is not null;
create index documents_expiring on recollect.documents (tenant, expires_at) where expires_at is not null;

-- The value of each of the newest versions, the current one among them.
create table recollect.document_versions (
  tenant text not null,
  document uuid not null,
  version bigint not null,
  value jsonb not null,
  actor text not null,
  created_at timestamptz not null,
  primary key (tenant, document, version),
  foreign key (tenant, document) references recollect.documents on delete cascade
);

-- The texts that a document is found by: one, or one for each field that whoever wrote it has named.
create table recollect.document_texts (
  tenant text not null,
  document uuid not null,
  place int not null,
  text text not null,
  words tsvector not null,
  primary key (tenant, document, place),
  foreign key (tenant, document) references recollect.documents on delete cascade
);

-- What each text means to a model. As with messages, a new model fills in beside the old one.
create table recollect.document_vectors (
  tenant text not null,
  document uuid not null,
  place int not null,
  model text not null,
  embedding halfvec not null,
  primary key (tenant, document, place, model),
  foreign key (tenant, document, place) references recollect.document_texts on delete cascade
);
alter table recollect.document_vectors alter column embedding set storage main;


-- The wall ----------------------------------------------------------------------------------------

do $$
declare
  name text;
begin
  foreach name in array array['documents', 'document_versions', 'document_texts', 'document_vectors']
  loop
    execute format('alter table recollect.%I enable row level security', name);
    execute format('alter table recollect.%I force row level security', name);
    execute format('create policy tenant_wall on recollect.%I using (tenant = recollect.current_tenant()) with check (tenant = recollect.current_tenant())', name);
    execute format('grant select, insert, update, delete on recollect.%I to recollect_server', name);
  end loop;
end $$;

-- A document that has no user begins nothing that an erasure would have to wait for: the lock of nobody is none.
create trigger wait_for_erasure before insert or update of user_id on recollect.documents
  for each row execute function recollect.wait_for_erasure();


-- Functions ---------------------------------------------------------------------------------------

-- Whether a value is what a filter asks for: {"color": "red", "size": {"$gte": 4}, "maker": {"city": "Porto"}}. Numbers
-- and texts are compared with their like; what cannot be compared does not fit.
create function recollect.fits(p_value jsonb, p_wanted jsonb) returns boolean
language plpgsql immutable parallel safe as $$
declare
  part record;
  kind text := jsonb_typeof(p_wanted);
  held jsonb := coalesce(p_value, 'null');
begin
  if kind = 'object' then
    for part in select key, value from jsonb_each(p_wanted) loop
      if part.key = '$eq' then
        if held <> part.value then return false; end if;
      elsif part.key = '$ne' then
        if held = part.value then return false; end if;
      elsif part.key in ('$gt', '$gte', '$lt', '$lte') then
        if jsonb_typeof(held) <> jsonb_typeof(part.value) or jsonb_typeof(held) not in ('number', 'string') then
          return false;
        end if;
        if not (case part.key when '$gt' then held > part.value when '$gte' then held >= part.value
                              when '$lt' then held < part.value else held <= part.value end) then
          return false;
        end if;
      elsif jsonb_typeof(held) <> 'object' or not recollect.fits(held -> part.key, part.value) then
        return false;
      end if;
    end loop;
    return true;
  elsif kind = 'array' then
    return jsonb_typeof(held) = 'array' and jsonb_array_length(held) = jsonb_array_length(p_wanted)
      and (select coalesce(bool_and(recollect.fits(held -> (place - 1)::int, item)), true)
           from jsonb_array_elements(p_wanted) with ordinality as w(item, place));
  end if;
  return held = p_wanted;
end $$;

-- Whether a namespace begins, or ends, with a path in which * stands for any name.
create function recollect.leads(p_namespace text[], p_path text[], p_backwards boolean) returns boolean
language sql immutable parallel safe
return cardinality(p_namespace) >= cardinality(p_path) and not exists (
  select from unnest(p_path) with ordinality as w(name, place)
  where name <> '*'
    and name <> p_namespace[place + case when p_backwards then cardinality(p_namespace) - cardinality(p_path) else 0 end]);

-- Write a document. "written" with the row as it stands; or "conflict" with the version that it has, 0 for none.
-- The same value again makes no new version. The newest 100 versions are kept.
create function recollect.put_document(
  p_tenant text, p_id uuid, p_namespace text[], p_key text, p_user text, p_value jsonb, p_version bigint, p_ttl float8,
  p_expires timestamptz, p_texts text[], p_model text, p_vectors text[], p_actor text)
returns table (outcome text, document recollect.documents)
language plpgsql as $$
declare
  held recollect.documents;
  moment timestamptz;
  fresh boolean := false;
begin
  perform set_config('recollect.tenant', p_tenant, true);
  insert into recollect.tenants (tenant) values (p_tenant) on conflict do nothing;
  loop
    select * into held from recollect.documents d
    where d.tenant = p_tenant and d.namespace = p_namespace and d.key = p_key for update;
    moment := clock_timestamp();
    if found and held.expires_at <= moment then
      delete from recollect.documents d where d.tenant = p_tenant and d.id = held.id;
      held := null;
    end if;
    if p_version is not null and p_version <> coalesce(held.version, 0) then
      return query select 'conflict', held;
      return;
    end if;
    if held.id is not null then
      fresh := held.value <> p_value;
      update recollect.documents d
      set value = p_value, version = d.version + fresh::int, updated_at = moment, user_id = coalesce(p_user, d.user_id),
          ttl = p_ttl, expires_at = coalesce(p_expires, moment + p_ttl * interval '1 second')
      where d.tenant = p_tenant and d.id = held.id returning * into held;
      exit;
    end if;
    -- Two first writers at once: the second one finds the document of the first, and goes on with it.
    insert into recollect.documents as d (tenant, id, namespace, key, user_id, value, ttl, expires_at, created_at, updated_at)
    values (p_tenant, p_id, p_namespace, p_key, p_user, p_value, p_ttl,
            coalesce(p_expires, moment + p_ttl * interval '1 second'), moment, moment)
    on conflict do nothing returning * into held;
    if held.id is not null then
      fresh := true;
      exit;
    end if;
  end loop;
  if fresh then
    insert into recollect.document_versions (tenant, document, version, value, actor, created_at)
    values (p_tenant, held.id, held.version, p_value, p_actor, moment);
    delete from recollect.document_versions v
    where v.tenant = p_tenant and v.document = held.id and v.version <= held.version - 100;
    insert into recollect.audit (tenant, actor, action, user_id, subject)
    values (p_tenant, p_actor, 'document.put', held.user_id, held.id::text);
  end if;
  delete from recollect.document_texts t where t.tenant = p_tenant and t.document = held.id;
  insert into recollect.document_texts (tenant, document, place, text, words)
  select p_tenant, held.id, place, given, recollect.words_of(given)
  from unnest(p_texts) with ordinality as t(given, place);
  insert into recollect.document_vectors (tenant, document, place, model, embedding)
  select p_tenant, held.id, place, p_model, given::halfvec
  from unnest(p_vectors) with ordinality as v(given, place);
  return query select 'written', held;
end $$;

-- Every document below a path that fits a filter, with how near its nearest text is to the question (p_vector), which
-- part of the question's words its best text has, and whether a text has no vector of this model yet.
create function recollect.match_documents(
  p_tenant text, p_from text[], p_until text[], p_user text, p_filter jsonb, p_query text, p_vector real[], p_model text)
returns table (id uuid, updated_at timestamptz, cosine float8, share float8, texts bigint, missing boolean)
language plpgsql as $$
declare
  near halfvec := p_vector::halfvec;
  wanted text[] := tsvector_to_array(ts_delete(recollect.words_of(p_query), recollect.empty_words()));
  any_of tsquery := (select string_agg(quote_literal(stem), ' | ') from unnest(wanted) as stem)::tsquery;
begin
  perform set_config('recollect.tenant', p_tenant, true);
  return query
    select d.id, d.updated_at, max(nullif(1 - (v.embedding <=> near), 'nan')),
           coalesce(max(case when t.words @@ any_of then (
             select count(*)::float8 from unnest(tsvector_to_array(t.words)) as stem where stem = any (wanted))
             / cardinality(wanted) end), 0),
           count(t.place), coalesce(bool_or(t.place is not null and v.place is null), false)
    from recollect.documents d
    left join recollect.document_texts t on t.tenant = d.tenant and t.document = d.id
    left join recollect.document_vectors v
      on v.tenant = t.tenant and v.document = t.document and v.place = t.place and v.model = p_model
    where d.tenant = p_tenant and (p_from is null or (d.namespace >= p_from and d.namespace < p_until))
      and (d.expires_at is null or d.expires_at > clock_timestamp())
      and (p_user is null or d.user_id = p_user) and (p_filter is null or recollect.fits(d.value, p_filter))
    group by d.id, d.updated_at;
end $$;

revoke all on function recollect.fits, recollect.leads, recollect.put_document, recollect.match_documents from public;
grant execute on function recollect.fits, recollect.leads, recollect.put_document, recollect.match_documents
  to recollect_server;
