"""The write road: what is remembered, and how it changes."""
