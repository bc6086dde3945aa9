"""Documents: JSON values by namespace and key, with their versions, found by what they say."""
