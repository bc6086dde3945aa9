"""The drop-in proxy: a client of OpenAI's gets memory by changing its base URL."""
