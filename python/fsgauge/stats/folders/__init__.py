"""Several results folders: compared, followed over time, held to limits."""
