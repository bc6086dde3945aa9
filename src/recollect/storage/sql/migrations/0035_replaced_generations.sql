-- A model that gave way to another while it was filling has not served, and may be taken up again.
alter table recollect.embedding_generations
  drop constraint embedding_generations_status_check,
  add constraint embedding_generations_status_check
    check (status in ('serving', 'filling', 'replaced', 'retired'));
