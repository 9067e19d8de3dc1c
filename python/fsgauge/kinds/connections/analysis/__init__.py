"""What statistics say of many clients: beside the metrics, what only a study `connections` has."""
