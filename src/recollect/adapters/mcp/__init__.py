"""The Model Context Protocol: memory as tools, resources and prompts, for any host that speaks it."""
