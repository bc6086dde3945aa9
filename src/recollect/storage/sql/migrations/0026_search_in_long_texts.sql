-- Search in long texts. A vector of words keeps 255 places of a word and none after the 16,383rd, so it
-- cannot tell whether a phrase is in a long text, and one of more than 1 MB is not kept whole. There the text
-- itself is asked.

-- As before, but what could not be kept whole says so, by a word with a space in it, which no text has.
create or replace function recollect.words_of(content text) returns tsvector
language plpgsql immutable strict parallel safe as $$
declare
  folded text := recollect.fold(content);
begin
  if octet_length(folded) < 200000 then
    return to_tsvector('recollect.words', folded);
  end if;
  begin
    return to_tsvector('recollect.words', folded);
  exception when program_limit_exceeded then
    null;
  end;
  loop
    folded := left(folded, char_length(folded) / 2);
    begin
      return to_tsvector('recollect.words', folded) || '''and more'':1'::tsvector;
    exception when program_limit_exceeded then
      null;
    end;
  end loop;
end $$;

-- The words of a folded text, stemmed, in their order, with a space before and after each.
create function recollect.stems_of(folded text) returns text
language sql immutable strict parallel safe
return (
  select ' ' || string_agg((ts_lexize('recollect.stem', token))[1], ' ' order by place) || ' '
  from ts_parse('pg_catalog.default', folded) with ordinality as t(kind, token, place)
  where kind <> 12 -- what is between words
);

-- Whether a text has what is asked for, each part of which stands in the question as one word.
create function recollect.found_in(content text, parts text[], asked tsquery) returns boolean
language plpgsql immutable strict parallel safe as $$
declare
  stems text := recollect.stems_of(recollect.fold(content));
begin
  return array_to_tsvector(array(
    select part from unnest(parts) as part where strpos(stems, ' ' || part || ' ') > 0)) @@ asked;
end $$;

-- A person's search: every word must occur, "quoted words" in that order, -word must not; "or" between
-- two such lists. It never fails on odd input. Characters that fold() spaced out are asked for as a phrase.
--
-- "wanted" is asked of the words of a message, and right if they are all there with their places; "possible"
-- is what they must fulfil in any case. "parts" and "asked" are for found_in; "phrased" are the words whose
-- places matter. All are null when there is no word to look for.
create function recollect.question_of(
  search text, out wanted tsquery, out possible tsquery, out parts text[], out asked tsquery, out phrased text[])
language plpgsql immutable strict parallel safe as $$
declare
  part record;
  word tsquery;
  stems text;
  other text := '';
  v_wanted text := '';
  v_possible text := '';
  v_asked text := '';
begin
  for part in
    select case when m[1] = '-' then '!' else '' end as sign, coalesce(m[2], m[3]) as words
    from regexp_matches(search, '(-?)(?:"([^"]*)"|([^\s"]+))', 'g') as m
  loop
    if lower(part.words) = 'or' and other = ' & ' and part.sign = '' then
      other := ' | ';
      continue;
    end if;
    word := phraseto_tsquery('recollect.words', recollect.fold(part.words));
    if numnode(word) > 0 then
      stems := trim(recollect.stems_of(recollect.fold(part.words)));
      v_wanted := v_wanted || other || part.sign || '(' || word::text || ')';
      v_asked := v_asked || other || part.sign || quote_literal(stems);
      if numnode(word) = 1 then
        v_possible := v_possible || other || part.sign || word::text;
      else
        v_possible := v_possible || other || case part.sign
          when '!' then '!' || quote_literal(stems)
          else '(' || replace(word::text, '<->', '&') || ')'
        end;
        phrased := coalesce(phrased, '{}') || string_to_array(stems, ' ');
      end if;
      parts := coalesce(parts, '{}') || stems;
      other := ' & ';
    end if;
  end loop;
  if parts is not null then
    wanted := v_wanted::tsquery;
    possible := (v_possible || ' | ''and more''')::tsquery;
    asked := v_asked::tsquery;
  end if;
end $$;
drop function recollect.query_of;

revoke all on function recollect.stems_of, recollect.found_in, recollect.question_of from public;
grant execute on function recollect.stems_of, recollect.found_in, recollect.question_of to recollect_server;

-- Of the messages that are there, those that were perhaps not kept whole; the owner lifts the wall for as long
-- as this takes.
alter table recollect.messages no force row level security;
update recollect.messages set words = recollect.words_of(content) where octet_length(content) >= 400000;
alter table recollect.messages force row level security;
