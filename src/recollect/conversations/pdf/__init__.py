"""A conversation on paper. It needs the extra ``pdf``."""
