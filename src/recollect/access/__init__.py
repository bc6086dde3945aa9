"""Who may come in: keys, what they open, and which requests were answered already."""
