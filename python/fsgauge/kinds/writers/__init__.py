"""How the rate of one file grows with the number of its writers."""
