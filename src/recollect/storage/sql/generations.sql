-- Generations of vectors: which one serves, and how the next one fills. $2 is the model that fills.

-- name: take_generation
select recollect.take_generation($1, $2);

-- name: generations
-- "unchanged" is for how many seconds it has served, or nobody has filled it.
select model, status, reached_conversation, reached_seq,
       extract(epoch from clock_timestamp() - changed_at)::float8 as unchanged
from recollect.embedding_generations where tenant = $1;

-- name: serving_model
select model from recollect.embedding_generations where tenant = $1 and status = 'serving';

-- name: hold_generations
-- Whoever writes vectors has ended, or waits.
select from recollect.tenants where tenant = $1 for update;

-- name: begin_filling
-- One at a time: a change of mind replaces what was filling.
with others as (
  update recollect.embedding_generations set status = 'replaced', changed_at = clock_timestamp()
  where tenant = $1 and status = 'filling' and model <> $2
)
insert into recollect.embedding_generations (tenant, model, status) values ($1, $2, 'filling')
on conflict (tenant, model) do update
set status = 'filling', reached_conversation = null, reached_seq = null, changed_at = clock_timestamp();

-- name: retire_serving
-- Along with what was replaced: whoever changed the settings then has had their way.
update recollect.embedding_generations set status = 'retired', changed_at = clock_timestamp()
where tenant = $1 and status in ('serving', 'replaced');

-- name: begin_serving
update recollect.embedding_generations set status = 'serving', changed_at = clock_timestamp()
where tenant = $1 and model = $2;

-- name: go_on_filling
-- Somebody is at it.
update recollect.embedding_generations set changed_at = clock_timestamp()
where tenant = $1 and model = $2 and status = 'filling';

-- name: remember_reached
update recollect.embedding_generations set reached_conversation = $3, reached_seq = $4
where tenant = $1 and model = $2;

-- name: count_remaining
-- Memories without a vector of this model; messages that have one of the model that serves, and none of this one; and
-- what still stands in the place of a vector of this model, once it serves; and whether it has yet to begin.
with serving as (
  select model from recollect.embedding_generations where tenant = $1 and status = 'serving'
)
select count(*) filter (where model <> $2 and next_model is distinct from $2)::int as memories,
       (select count(*)::int from recollect.message_vectors v
        where v.tenant = $1 and v.model = (select model from serving) and v.model <> $2 and not exists (
          select from recollect.message_vectors f
          where f.tenant = $1 and f.conversation = v.conversation and f.seq = v.seq and f.model = $2)) as messages,
       count(*) filter (where next_model = $2)::int
         + case when (select model from serving) = $2 then
             (select count(*)::int from recollect.message_vectors v
              join recollect.embedding_generations g on g.tenant = v.tenant and g.model = v.model
              where v.tenant = $1 and v.model <> $2 and g.status = 'retired')
             + (select count(*)::int from recollect.document_vectors v
                join recollect.embedding_generations g on g.tenant = v.tenant and g.model = v.model
                where v.tenant = $1 and v.model <> $2 and g.status = 'retired')
           else 0 end as old,
       exists (select from recollect.embedding_generations
               where tenant = $1 and model = $2 and status = 'filling') as filling
from recollect.memories where tenant = $1;

-- name: unfilled_memories
select id, key_point, version from recollect.memories
where tenant = $1 and model <> $2 and next_model is distinct from $2
order by id limit $3;

-- name: fill_memories
-- A memory that was revised meanwhile is of another version, and its turn comes again.
update recollect.memories m set next_model = $2, next_embedding = made.embedding
from unnest($3::uuid[], $4::int[], $5::halfvec[]) as made(id, version, embedding)
where m.tenant = $1 and m.id = made.id and m.version = made.version
returning m.user_id;

-- name: unfilled_messages
-- Those with a vector of the model that serves ($3), in order of their keys, after the last one that was reached.
select v.conversation, v.seq, m.name, left(m.content, $5) as content
from recollect.message_vectors v join recollect.messages m using (tenant, conversation, seq)
where v.tenant = $1 and v.model = $3
  and ($6::uuid is null or (v.conversation, v.seq) > ($6, $7::bigint))
  and not exists (
    select from recollect.message_vectors f
    where f.tenant = $1 and f.conversation = v.conversation and f.seq = v.seq and f.model = $2)
order by v.conversation, v.seq limit $4;

-- name: settle_memories
-- The generation that serves moves to its usual place, and the old vector is gone.
update recollect.memories set model = next_model, embedding = next_embedding, next_model = null, next_embedding = null
where tenant = $1 and id in (
  select id from recollect.memories where tenant = $1 and next_model = $2 order by id limit $3 for update skip locked)
returning user_id;

-- name: drop_old_message_vectors
-- Of a generation that has retired; another one may be filling.
delete from recollect.message_vectors v
where v.tenant = $1 and (v.conversation, v.seq, v.model) in (
  select o.conversation, o.seq, o.model from recollect.message_vectors o
  join recollect.embedding_generations g on g.tenant = o.tenant and g.model = o.model and g.status = 'retired'
  where o.tenant = $1 and o.model <> $2 order by o.conversation, o.seq limit $3)
returning seq;
