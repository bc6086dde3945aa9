"""Faces: the same store behind the interfaces of other projects."""
