"""What messages say about the people in them, by rules: no language model is asked. Pure."""

from recollect.remember.extract.choose import extract, extracted

__all__ = ["extract", "extracted"]
