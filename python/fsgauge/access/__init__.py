"""How systems are reached."""
