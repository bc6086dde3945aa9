"""One file for each resource. Each route says in its ``rule`` whom it is for."""
