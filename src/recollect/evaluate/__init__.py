"""How good recall is, on public sets of conversations with known evidence; no judge is asked."""
