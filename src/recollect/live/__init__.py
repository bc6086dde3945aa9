"""What changes for a user, told to all of their devices in one order."""
