"""A node or the server fails while two nodes write: who goes on, and is what was synced there."""
