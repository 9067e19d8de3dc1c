"""What the page shows of several writers."""
