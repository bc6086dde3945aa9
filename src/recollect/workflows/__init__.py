"""Workflows and the state of a conversation: steps, moves, drafts, missing fields, history."""
