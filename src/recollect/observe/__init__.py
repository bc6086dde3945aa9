"""What an operator sees: log lines that carry names, numbers and ids, never the text of a message."""
