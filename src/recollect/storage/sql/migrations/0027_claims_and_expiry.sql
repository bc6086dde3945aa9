-- What was held to be true at another time: also what has expired since then, and not what had expired by then, as in a
-- list of memories for that time.
create or replace function recollect.find_memories_as_of(
  p_tenant text, p_user text, p_pool text, p_wanted text[], p_marked text[], p_near halfvec, p_model text,
  p_as_of timestamptz, p_nearest int, p_farthest float8, p_threshold float8)
returns table (
  stems text, id uuid, cosine float8, wording float8, occurring bigint, standing float8, key_point text, importance real, pinned boolean,
  created_at timestamptz, updated_at timestamptz, through text, category text, status text, valid_from timestamptz,
  valid_to timestamptz, expires_at timestamptz, superseded_by uuid, author text, trust text, version int,
  update_count int, context jsonb, conversation uuid, first_seq bigint, last_seq bigint)
language sql stable
set enable_nestloop = off -- nobody has counted a new pool yet: a plan for one row would compare all with all
begin atomic
  with valid as materialized (
    select m.*, nullif(case when m.model = p_model then m.embedding <=> p_near
                            when m.next_model = p_model then m.next_embedding <=> p_near end, 'nan') as far
    from recollect.memories m
    where m.tenant = p_tenant and m.user_id = p_user and m.pool = p_pool and m.status <> 'quarantined'
      and (m.expires_at is null or m.expires_at > p_as_of)
      and m.valid_from <= p_as_of and (m.valid_to is null or m.valid_to > p_as_of)
  ), facts as materialized (
    select greatest(count(*), 10)::float8 as held, greatest(avg(size), 1)::float8 as usual from valid
  ), matches as materialized (
    select v.id, v.size, left(w.lexeme, 40) as stem, sum(coalesce(cardinality(w.positions), 1))::float8 as times
    from valid v, unnest(v.words) as w
    where left(w.lexeme, 40) = any (p_wanted)
    group by v.id, v.size, left(w.lexeme, 40)
  ), common as materialized (
    select stem, ln(1 + (held - count(*) + 0.5) / (count(*) + 0.5)) as rarity, row_number() over (order by stem) as place
    from matches, facts group by stem, held
  ), worded as materialized (
    select m.id, sum(c.rarity) as rarity,
           bit_or(case when c.place <= 60 then 1::bigint << (c.place::int - 1) else 0 end) as occurring,
           greatest(least(
             sum(c.rarity * m.times * 1.9 / (m.times + 0.9 * (0.6 + 0.4 * m.size / f.usual)))
             / (sum(c.rarity) + (cardinality(p_wanted) - count(*)) * ln(1 + (f.held + 0.5) / 0.5)), 1),
             case when bool_or(m.stem = any (p_marked)) then 0.6 end) as share
    from matches m join common c using (stem) cross join facts f
    group by m.id, f.held
  ), chosen as (
    (select w.id from worded w where w.share >= p_threshold order by round(w.rarity * 1e6) desc, w.id limit p_nearest)
    union
    (select v.id from valid v where v.far <= p_farthest order by v.far, v.id limit p_nearest)
  )
  select (select string_agg(stem, ' ' order by place) from common), v.id, 1 - v.far, coalesce(w.share, 0), w.occurring,
         recollect.standing(v.importance, v.pinned, v.updated_at, clock_timestamp()), v.key_point, v.importance, v.pinned, v.created_at, v.updated_at, v.agent, v.category, v.status, v.valid_from,
         v.valid_to, v.expires_at, v.superseded_by, v.author, v.trust, v.version, v.update_count, v.context,
         v.conversation, v.first_seq, v.last_seq
  from chosen c join valid v on v.id = c.id left join worded w on w.id = c.id
  order by v.created_at desc, v.id;
end;

-- The next due work of a tenant, as before, but one piece of it in any plan: a list that is looked up once for each row of
-- a small table leased them all, and whoever asked took up the first only.
create or replace function recollect.claim_work(p_tenant text, p_seconds float8, p_tries int, p_kinds text[])
returns setof recollect.work
language plpgsql as $$
begin
  perform set_config('recollect.tenant', p_tenant, true);
  update recollect.work
  set failed_at = clock_timestamp(), error = coalesce(error, 'its worker died'), leased_until = null
  where tenant = p_tenant and failed_at is null and attempts >= p_tries and leased_until < clock_timestamp();
  return query
    with next as materialized (
      select d.kind, d.subject from recollect.work d
      where d.tenant = p_tenant and d.failed_at is null and d.due_at <= clock_timestamp()
        and (d.leased_until is null or d.leased_until < clock_timestamp())
        and (p_kinds is null or d.kind = any (p_kinds))
      -- What was said is wanted soon; whatever else there is may wait a minute for it, and no longer.
      order by d.due_at + case when d.kind = 'extract' then interval '0' else interval '1 minute' end, d.created_at
      limit 1
      for update skip locked
    )
    update recollect.work as w
    set token = w.token + 1, attempts = w.attempts + 1,
        leased_until = clock_timestamp() + make_interval(secs => p_seconds)
    from next
    where w.tenant = p_tenant and w.kind = next.kind and w.subject = next.subject
    returning w.*;
end $$;
