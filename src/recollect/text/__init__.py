"""What a text says by itself: fences around recalled text, dates in words. Pure; every road reads it."""
