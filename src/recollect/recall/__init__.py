"""The read road: what of all that was said belongs to a question."""
