"""What each file operation costs when hundreds of clients work at once."""
