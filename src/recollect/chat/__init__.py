"""A whole turn: the context, the model and its tools, what is saved at the end, and what happens outside."""
