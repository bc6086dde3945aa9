"""What messages say about the people in them, by rules: no language model is asked. Pure."""

from recollect.remember.extract.choose import extract

__all__ = ["extract"]
