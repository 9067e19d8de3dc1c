"""What statistics say of systems on which files came and went, beside fresh copies of the same."""
