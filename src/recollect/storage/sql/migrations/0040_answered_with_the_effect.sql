-- What was made under an idempotency key and the answer to it are written in one transaction, by the attempt that has the key: whoever
-- asks again finds both or neither. An attempt that lost its key meanwhile makes nothing.

alter table recollect.answers add column attempt uuid;
-- An answer that quotes a conversation goes with it.
alter table recollect.answers add column conversation uuid;
alter table recollect.answers add foreign key (tenant, conversation) references recollect.conversations on delete cascade;
create index answers_of_conversation on recollect.answers (tenant, conversation) where conversation is not null;

-- Of an edit of notes the version alone is kept, and read again. Replies that were passed on before this step may outlive what they
-- quote: that they were given is kept, their text is not.
alter table recollect.answers no force row level security;
update recollect.answers set body = convert_to((convert_from(body, 'UTF8')::json ->> 'version')::text, 'UTF8')
where status = 200 and not headers ? 'x-recollect-conversation' and convert_from(body, 'UTF8') is json object
  and convert_from(body, 'UTF8')::json ->> 'version' ~ '^[0-9]+$';
update recollect.answers set body = null where headers ? 'x-recollect-conversation';
alter table recollect.answers force row level security;

-- As before, and whoever has begun and did not hear of it begins again: it is the same attempt. Servers of an earlier version, which
-- name none, may run beside.
drop function recollect.begin_answer;
create function recollect.begin_answer(
  p_tenant text, p_user text, p_key text, p_fingerprint bytea, p_seconds double precision, p_attempt uuid default null)
returns table (ours boolean, same boolean, status int, headers jsonb, body bytea)
language plpgsql as $$
declare
  found_one recollect.answers;
begin
  perform set_config('recollect.tenant', p_tenant, true);
  insert into recollect.tenants (tenant) values (p_tenant) on conflict do nothing;
  insert into recollect.answers as a (tenant, user_id, key, fingerprint, leased_until, attempt)
  values (p_tenant, p_user, p_key, p_fingerprint, clock_timestamp() + make_interval(secs => p_seconds), p_attempt)
  on conflict (tenant, user_id, key) do update
    set leased_until = excluded.leased_until, attempt = excluded.attempt
    where a.status is null and a.fingerprint = excluded.fingerprint
      and (a.leased_until < clock_timestamp() or a.attempt = excluded.attempt);
  if found then
    return query select true, true, null::int, null::jsonb, null::bytea;
    return;
  end if;
  select * into found_one from recollect.answers a where a.tenant = p_tenant and a.user_id = p_user and a.key = p_key;
  return query select false, found_one.fingerprint = p_fingerprint, found_one.status, found_one.headers, found_one.body;
end $$;

-- Keeps an answer in the transaction of its effect, which may be in another tenant: an operator makes one. Says whether the key is
-- still this attempt's.
create function recollect.complete_answer(
  p_within text, p_tenant text, p_user text, p_key text, p_attempt uuid, p_status int, p_headers jsonb, p_body bytea,
  p_conversation uuid)
returns boolean
language plpgsql as $$
declare
  mine boolean;
begin
  perform set_config('recollect.tenant', p_tenant, true);
  update recollect.answers set status = p_status, headers = p_headers, body = p_body, conversation = p_conversation
  where tenant = p_tenant and user_id = p_user and key = p_key and attempt = p_attempt;
  mine := found;
  perform set_config('recollect.tenant', p_within, true);
  return mine;
end $$;

-- However messages go, the answers that may quote them lose their text; that there was one stays known.
create function recollect.forget_answers() returns trigger
language plpgsql as $$
begin
  update recollect.answers a set body = null
  from (select tenant, conversation, max(created_at) as last from gone group by tenant, conversation) as g
  where a.tenant = g.tenant and a.conversation = g.conversation and a.created_at <= g.last and a.body is not null;
  return null;
end $$;
create trigger forget_answers after delete on recollect.messages referencing old table as gone
  for each statement execute function recollect.forget_answers();

-- Receipts are read in pages.
create index receipts_by_time on recollect.receipts (tenant, at desc, id desc);

revoke all on function recollect.begin_answer, recollect.complete_answer, recollect.forget_answers from public;
grant execute on function recollect.begin_answer, recollect.complete_answer, recollect.forget_answers to recollect_server;
