"""What leaves: erasure with a receipt, retention, expiry."""
