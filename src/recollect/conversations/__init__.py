"""Conversations and their messages: lifecycle, append, window, search, export."""
