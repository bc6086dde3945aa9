-- Documents: JSON values by namespace and key. A namespace and all below it is a range: from it, until ($3) what would
-- come next.

-- name: put_document
select outcome, (document).* from recollect.put_document($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);

-- name: lock_document
-- Until it is written, nobody deletes it and makes another.
select created_at from recollect.documents where tenant = $1 and namespace = $2 and key = $3 for update;

-- name: documents_by_keys
select d.* from unnest($2::jsonb[]) as w(place)
join recollect.documents d on d.tenant = $1 and d.key = (w.place ->> 1)
  and d.namespace = array(select jsonb_array_elements_text(w.place -> 0))
where ($3::text is null or d.user_id = $3) and (d.expires_at is null or d.expires_at > clock_timestamp());

-- name: documents_by_ids
select * from recollect.documents where tenant = $1 and id = any ($2::uuid[]);

-- name: refresh_documents
-- A read puts off the end of what is kept for a time.
update recollect.documents set expires_at = clock_timestamp() + ttl * interval '1 second'
where tenant = $1 and id = any ($2::uuid[]) and ttl is not null
returning *;

-- name: documents_below
-- Newest first.
select * from recollect.documents
where tenant = $1 and ($2::text[] is null or (namespace >= $2 and namespace < $3))
  and ($4::text is null or user_id = $4) and ($5::jsonb is null or recollect.fits(value, $5))
  and (expires_at is null or expires_at > clock_timestamp())
order by updated_at desc, id desc
limit $6 offset $7;

-- name: match_documents
select * from recollect.match_documents($1, $2, $3, $4, $5, $6, $7, $8);

-- name: document_texts_without
-- Texts of these documents that the model has not seen.
select t.document, t.place, left(t.text, $4) as text from recollect.document_texts t
where t.tenant = $1 and t.document = any ($2::uuid[]) and not exists (
  select from recollect.document_vectors v
  where v.tenant = $1 and v.document = t.document and v.place = t.place and v.model = $3)
order by t.document, t.place;

-- name: store_document_vectors
-- A text that was replaced meanwhile is passed over.
insert into recollect.document_vectors (tenant, document, place, model, embedding)
select $1, t.document, t.place, $2, made.embedding
from unnest($3::uuid[], $4::int[], $5::text[], $6::halfvec[]) as made(document, place, text, embedding)
join lateral (
  select document, place from recollect.document_texts
  where tenant = $1 and document = made.document and place = made.place and left(text, $7) = made.text
  for key share) t on true
on conflict do nothing;

-- name: document_namespaces
select distinct namespace[1:coalesce($4::int, cardinality(namespace))] as namespace from recollect.documents
where tenant = $1 and (expires_at is null or expires_at > clock_timestamp()) and ($5::text is null or user_id = $5)
  and recollect.leads(namespace, $2::text[], false) and recollect.leads(namespace, $3::text[], true)
order by namespace
limit $6 offset $7;

-- name: delete_document
-- With a version, only if that is the one it has; with a user, only if it is theirs; with a time, if it was made then.
delete from recollect.documents
where tenant = $1 and namespace = $2 and key = $3 and ($4::bigint is null or version = $4)
  and ($5::text is null or user_id = $5) and ($6::timestamptz is null or created_at = $6)
returning id, user_id;

-- name: document_versions
-- Newest first.
select v.version, v.value, v.actor, v.created_at
from recollect.document_versions v join recollect.documents d on d.tenant = v.tenant and d.id = v.document
where v.tenant = $1 and d.namespace = $2 and d.key = $3 and ($4::text is null or d.user_id = $4)
  and (d.expires_at is null or d.expires_at > clock_timestamp())
order by v.version desc
limit $5;

-- name: drop_old_document_vectors
-- Of a generation that has retired; those that a caller made with a model of its own stay.
delete from recollect.document_vectors v
where v.tenant = $1 and (v.document, v.place, v.model) in (
  select o.document, o.place, o.model from recollect.document_vectors o
  join recollect.embedding_generations g on g.tenant = o.tenant and g.model = o.model and g.status = 'retired'
  where o.tenant = $1 and o.model <> $2 order by o.document, o.place limit $3)
returning place;

-- name: delete_expired_documents
with gone as (
  delete from recollect.documents where tenant = $1 and id in (
    select id from recollect.documents where tenant = $1 and expires_at <= $2
    order by expires_at limit $3 for update skip locked)
  returning 1)
select count(*)::int from gone;

-- name: lock_documents_of_user
select count(*)::int from (
  select from recollect.documents where tenant = $1 and user_id = $2 order by id for update) as held;

-- name: erase_document_vectors
with gone as (
  delete from recollect.document_vectors where tenant = $1 and document in (
    select id from recollect.documents where tenant = $1 and user_id = $2)
  returning 1)
select count(*)::int from gone;

-- name: erase_document_texts
with gone as (
  delete from recollect.document_texts where tenant = $1 and document in (
    select id from recollect.documents where tenant = $1 and user_id = $2)
  returning 1)
select count(*)::int from gone;

-- name: erase_document_versions
with gone as (
  delete from recollect.document_versions where tenant = $1 and document in (
    select id from recollect.documents where tenant = $1 and user_id = $2)
  returning 1)
select count(*)::int from gone;

-- name: erase_documents
with gone as (
  delete from recollect.documents where tenant = $1 and user_id = $2 returning 1)
select count(*)::int from gone;

-- name: export_documents
select json_build_object(
  'id', d.id, 'namespace', d.namespace, 'key', d.key, 'value', d.value, 'version', d.version, 'ttl', d.ttl,
  'expires_at', d.expires_at, 'created_at', d.created_at, 'updated_at', d.updated_at,
  'texts', (select coalesce(json_agg(t.text order by t.place), '[]')
            from recollect.document_texts t where t.tenant = $1 and t.document = d.id),
  'versions', (select coalesce(json_agg(json_build_object(
      'version', v.version, 'value', v.value, 'actor', v.actor, 'created_at', v.created_at) order by v.version), '[]')
    from recollect.document_versions v where v.tenant = $1 and v.document = d.id))
from recollect.documents d where d.tenant = $1 and d.user_id = $2 and d.id > $3
  and (d.expires_at is null or d.expires_at > now())
order by d.id
limit $4;

-- name: restore_document
-- Where something stands under this name already, that stays.
insert into recollect.documents (tenant, id, namespace, key, user_id, value, version, ttl, expires_at, created_at, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing returning id;

-- name: restore_document_version
insert into recollect.document_versions (tenant, document, version, value, actor, created_at)
values ($1, $2, $3, $4, $5, $6);

-- name: restore_document_texts
insert into recollect.document_texts (tenant, document, place, text, words)
select $1, $2, place, given, recollect.words_of(given) from unnest($3::text[]) with ordinality as t(given, place);
