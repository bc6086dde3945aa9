"""The HTTP server: it parses, calls the door and renders. It needs the extra ``server``."""
