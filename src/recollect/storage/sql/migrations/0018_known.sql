-- What an agent knew when it answered: which memories, which messages, what was left out. It holds no text, so that
-- what is forgotten since is forgotten here too.
alter table recollect.turns add column known jsonb;
