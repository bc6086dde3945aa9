"""What moves between stores: export, and import from here and from elsewhere."""
