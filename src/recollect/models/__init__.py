"""Models behind the ports: offline ones, those of any OpenAI-compatible endpoint, and LangChain's."""
