"""Turns that clients have with a model themselves: memory is put into what they send, and what is said is kept."""
