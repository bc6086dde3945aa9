"""Faces for other frameworks. Each module needs the extra of its framework; all of them enter by the door."""
