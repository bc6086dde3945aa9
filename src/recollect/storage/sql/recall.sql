-- Recall over messages. Each statement sets its tenant itself, and everything else hangs on that, so that it happens
-- after it: one round trip each. Columns of a whole scope travel as one value behind the other in their binary form:
-- ten thousand rows reach numpy without becoming ten thousand objects. No text is read but that of a few candidates.

-- name: recall_scope
-- The words of a question, each with its stems, made as those of messages are, and whether it is a stop word, which
-- those that are known to be names are not; and
-- every message of a user that can be recalled, in one pass and in no order: its key (number of the conversation, and
-- number in it), time, name of the speaker where there is one, the terms of those that match; and in one number its size
-- and whether it is a question (by the last byte, since the last character of a text is dear to find; a long text that ends
-- with a question is more than one), has a name, matches, and is the user's. Stop words are looked for only if there is
-- nothing else. "offset 0" keeps the look-up by conversation: a plan made without values might read the whole tenant.
select s.* from (select set_config('recollect.tenant', $1, true) as tenant) t cross join lateral (
  with words as materialized (
    select word, tsvector_to_array(to_tsvector('recollect.words', word)) as stems,
           length(to_tsvector('pg_catalog.english', word)) = 0 and word <> all ($5::text[]) as stop, place
    from regexp_split_to_table(recollect.fold($4), '\s+') with ordinality as w(word, place) where word <> ''
  ), asked as materialized (
    select array_agg(stem) as terms, string_agg(quote_literal(stem), '|')::tsquery as any_term
    from words, unnest(stems) as stem where not stop or (select bool_and(stop) from words)
  ), chats as materialized (
    select id, (row_number() over (order by created_at, id) - 1) << 40 as first_key
    from recollect.conversations where tenant = t.tenant and user_id = $2 and ($3::text is null or agent = $3)
  )
  select (select array_agg(word order by place) from words) as words,
         (select array_agg(array_to_string(stems, ' ') order by place) from words) as stems,
         (select array_agg(stop order by place) from words) as stops,
         (select array_agg(id order by first_key) from chats) as conversations,
         string_agg(int8send(c.first_key + m.seq), '') as key,
         string_agg(timestamptz_send(m.created_at), '') as at,
         string_agg(int4send((m.size << 8) | ((m.name is not null)::int << 2) | (m.matches::int << 1) | (m.role = 'user')::int
           | case when m.size < 1000 and get_byte(textsend(m.content), m.size - 1) = 63 then 128 else 0 end), '') as facts,
         string_agg(m.name, E'\n') filter (where m.name is not null) as names,
         string_agg(ts_filter(setweight(m.words, 'A', asked.terms), '{a}')::text, E'\n') filter (where m.matches) as matches
  from asked, chats c cross join lateral (
    select seq, created_at, role, name, content, octet_length(content) as size, words,
           coalesce(words @@ asked.any_term, false) as matches
    from recollect.messages
    where tenant = t.tenant and conversation = c.id and role <> 'system' and octet_length(content) > 0 offset 0) m
) s;

-- name: recall_named
-- The messages of these conversations that have a name which is a word of grammar as well, written as a name is.
select s.* from (select set_config('recollect.tenant', $1, true) as tenant) t cross join lateral (
  with chats as (select id, (number - 1) << 40 as first_key from unnest($2::uuid[]) with ordinality as c(id, number))
  select coalesce(string_agg(int8send(c.first_key + m.seq), ''), '') as key
  from chats c cross join lateral (
    select seq from recollect.messages
    where tenant = t.tenant and conversation = c.id and words @@ $3::tsquery and content ~ $4 offset 0) m
) s;

-- name: recall_vectors
-- How far the messages of these conversations are from the question (the negative inner product, which for vectors
-- of length 1 is the negative cosine), as far as they have a vector of this model; and which model's vectors serve.
select s.* from (select set_config('recollect.tenant', $1, true) as tenant) t cross join lateral (
  with chats as (select id, (number - 1) << 40 as first_key from unnest($2::uuid[]) with ordinality as c(id, number))
  select string_agg(int8send(c.first_key + v.seq), '') as key,
         string_agg(float4send((v.embedding <#> $4::halfvec)::real), '') as far,
         (select model from recollect.embedding_generations
          where tenant = t.tenant and status = 'serving') as serving
  from chats c cross join lateral (
    select seq, embedding from recollect.message_vectors
    where tenant = t.tenant and conversation = c.id and model = $3 offset 0) v
) s;

-- name: recall_messages
-- The messages of these keys. "From this number on, the first one" is sure to be read by the primary key, where the
-- number itself may be looked up by another index as long as the table has no statistics; and being limited,
-- it is not flattened, so that nothing is looked up before the tenant is set.
select m.* from (select set_config('recollect.tenant', $1, true) as tenant) t
cross join unnest($2::uuid[], $3::bigint[]) as wanted(conversation, number)
cross join lateral (
  select seq, id::text, role, content, created_at, name, metadata, tool_calls, tool_call_id, parts, answers, conversation
  from recollect.messages where tenant = t.tenant and conversation = wanted.conversation and seq >= wanted.number
  order by seq limit 1) m
where m.seq = wanted.number;

-- name: recall_texts
-- Of these keys who spoke and the beginning of what was said.
select m.* from (select set_config('recollect.tenant', $1, true) as tenant) t
cross join unnest($2::uuid[], $3::bigint[]) as wanted(conversation, number)
cross join lateral (
  select conversation, seq, name, left(content, $4) as content
  from recollect.messages where tenant = t.tenant and conversation = wanted.conversation and seq >= wanted.number
  order by seq limit 1) m
where m.seq = wanted.number;

-- name: store_message_vectors
-- A message that was deleted meanwhile, or is just being deleted, is passed over: whoever deletes may wait for another of these,
-- which are held until the end of the transaction. Another process may have stored the same vectors.
insert into recollect.message_vectors (tenant, conversation, seq, model, embedding)
select $1, made.conversation, m.seq, $4, made.embedding
from unnest($2::uuid[], $3::bigint[], $5::halfvec[]) as made(conversation, number, embedding)
cross join lateral (
  select seq from recollect.messages
  where tenant = $1 and conversation = made.conversation and seq >= made.number
  order by seq limit 1 for key share skip locked) m
where m.seq = made.number
on conflict do nothing;
