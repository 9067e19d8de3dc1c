"""What the page shows of a study of kind overhead."""
