-- Of a memory or a conversation that was made under an idempotency key, the answer that is kept has the id alone: it is read again
-- for whoever asks again. The texts that stood there outlived what they told of by days; the owner lifts the wall to take them out.
alter table recollect.answers no force row level security;
update recollect.answers set body = convert_to(to_json(convert_from(body, 'UTF8')::json ->> 'id')::text, 'UTF8')
where status = 201 and convert_from(body, 'UTF8') is json object
  and convert_from(body, 'UTF8')::json ->> 'id' ~ '^[0-9a-f-]{36}$';
alter table recollect.answers force row level security;

-- In favour of what a version was retired: going back to it goes back to that as well, so that what forgets the one forgets the other.
alter table recollect.memory_versions add column superseded_by uuid;
