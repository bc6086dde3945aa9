-- Whose word a version was, and where it came from: going back to it goes back to that as well. Versions from before do not
-- know it.
alter table recollect.memory_versions
  add column author text,
  add column trust text,
  add column conversation uuid,
  add column first_seq bigint,
  add column last_seq bigint;
