-- A word that touches an emoji, "€", "™", an arrow or the punctuation of another script could not be found: the parser takes
-- every sign beyond ASCII for a letter, and only those of the Latin script and of Chinese became space.

-- As before, but every sign that is neither a letter, a digit nor a mark becomes space: punctuation, symbols, separators, controls
-- and formats by Unicode's table, without those that normalising takes away, and without scripts that nobody writes any more. Those
-- that normalising would turn into letters of the word before go first.
create or replace function recollect.fold(content text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  if octet_length(content) > char_length(content) then
    content := regexp_replace(
      normalize(translate(content, '™℠', '  '), nfkd),
      '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]', '', 'g');
    content := normalize(content, nfc);
    content := regexp_replace(content, '([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff])', ' \1 ', 'g');
    content := regexp_replace(content, '[' ||
      '\u0080-\u00bf\u00d7\u00f7\u02c2-\u02c5\u02d2-\u02eb\u02ed\u02ef-\u02ff\u0375\u03f6\u0482\u055a-\u055f' ||
      '\u0589-\u05c6\u05f3-\u060f\u061b-\u061f\u066a-\u066d\u06d4\u06dd-\u06de\u06e9\u06fd-\u06fe\u0700-\u070f' ||
      '\u07f6-\u07f9\u07fe-\u07ff\u0830-\u083e\u085e\u0888\u0890-\u0891\u08e2\u0964-\u0965\u0970\u09f2-\u09f3' ||
      '\u09fa-\u09fb\u09fd\u0a76\u0af0-\u0af1\u0b70\u0bf3-\u0bfa\u0c77\u0c7f\u0c84\u0d4f\u0d79\u0df4\u0e3f' ||
      '\u0e4f\u0e5a-\u0e5b\u0f01-\u0f17\u0f1a-\u0f1f\u0f34\u0f36\u0f38\u0f3a-\u0f3d\u0f85\u0fbe-\u0fc5' ||
      '\u0fc7-\u0fda\u104a-\u104f\u109e-\u109f\u10fb\u1360-\u1368\u1390-\u1399\u1400\u166d-\u166e\u1680' ||
      '\u169b-\u169c\u16eb-\u16ed\u1735-\u1736\u17d4-\u17d6\u17d8-\u17db\u1800-\u180a\u180e\u1940-\u1945' ||
      '\u19de-\u19ff\u1a1e-\u1a1f\u1aa0-\u1aa6\u1aa8-\u1aad\u1b5a-\u1b6a\u1b74-\u1b7e\u1bfc-\u1bff\u1c3b-\u1c3f' ||
      '\u1c7e-\u1c7f\u1cc0-\u1cc7\u1cd3\u200b-\u212e\u213a-\u214d\u214f\u218a-\u244a\u2500-\u2775\u2794-\u2bff' ||
      '\u2ce5-\u2cea\u2cf9-\u2cfc\u2cfe-\u2cff\u2d70\u2e00-\u2e2e\u2e30-\u3004\u3008-\u3020\u3030\u3037' ||
      '\u303d-\u303f\u30a0\u30fb\u3190-\u3191\u31c0-\u31e3\u327f\u4dc0-\u4dff\ua490-\ua4c6\ua4fe-\ua4ff' ||
      '\ua60d-\ua60f\ua673\ua67e\ua6f2-\ua716\ua720-\ua721\ua789-\ua78a\ua828-\ua82b\ua836-\ua839\ua874-\ua877' ||
      '\ua8ce-\ua8cf\ua8f8-\ua8fa\ua8fc\ua92e-\ua92f\ua95f\ua9c1-\ua9cd\ua9de-\ua9df\uaa5c-\uaa5f\uaa77-\uaa79' ||
      '\uaade-\uaadf\uaaf0-\uaaf1\uab5b\uab6a-\uab6b\uabeb\ufbb2-\ufe0f\ufe45-\ufe46\ufeff-\ufffd\U0001ecac' ||
      '\U0001ecb0\U0001ed2e\U0001eef0-\U0001f0f5\U0001f10d-\U0001fbca\U000e0001-\U000e01ef'
      || ']', ' ', 'g');
  end if;
  return regexp_replace(content, '[!-/:-@[-`{-~]', ' ', 'g');
end $$;

-- What is there is given the words it has by now; the owner lifts the wall for as long as this takes.
alter table recollect.messages no force row level security;
alter table recollect.memories no force row level security;
alter table recollect.memory_words no force row level security;
alter table recollect.document_texts no force row level security;
update recollect.messages set words = recollect.words_of(content)
where octet_length(content) > char_length(content) and words <> recollect.words_of(content);
update recollect.memories set words = recollect.words_of(key_point)
where octet_length(key_point) > char_length(key_point) and words <> recollect.words_of(key_point);
update recollect.document_texts set words = recollect.words_of(text)
where octet_length(text) > char_length(text) and words <> recollect.words_of(text);
alter table recollect.messages force row level security;
alter table recollect.memories force row level security;
alter table recollect.memory_words force row level security;
alter table recollect.document_texts force row level security;
