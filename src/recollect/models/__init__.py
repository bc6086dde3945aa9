"""Models behind the ports: embedders that work offline, and those of any OpenAI-compatible endpoint."""
