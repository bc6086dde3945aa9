"""What a conversation comes to: a rolling summary, and how its user feels."""
