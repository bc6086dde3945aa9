-- Whose a document is, its first write settles: nobody takes over what is another's, or nobody's.

-- Write a document. "written" with the row as it stands; "conflict" with the version that it has, 0 for none; or "refused",
-- with nothing, if it is not this user's.
-- The same value again makes no new version. The newest 100 versions are kept.
create or replace function recollect.put_document(
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
    -- Before the version: whoever it is not for must not learn that either.
    if held.id is not null and p_user is not null and held.user_id is distinct from p_user then
      return query select 'refused', null::recollect.documents;
      return;
    end if;
    if p_version is not null and p_version <> coalesce(held.version, 0) then
      return query select 'conflict', held;
      return;
    end if;
    if held.id is not null then
      fresh := held.value <> p_value;
      -- The user stays, and is named so that the trigger waits for an erasure.
      update recollect.documents d
      set value = p_value, version = d.version + fresh::int, updated_at = moment, user_id = d.user_id,
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
