"""Notes: one markdown document for each user and agent, edited by the agent, with its versions."""
