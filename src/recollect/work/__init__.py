"""Work that has fallen due: rows in the database, claimed under a lease, finished together with their effect."""
