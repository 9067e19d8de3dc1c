"""How a rate grows with the number of those who work at once: the scalability law, fitted."""
