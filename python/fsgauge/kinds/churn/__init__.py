"""What years of creating and deleting files cost, against a fresh copy of the same tree."""
