"""What one node wrote, and what the others then read: counted, turn by turn."""
