"""Which configuration is best for a load: what to try, and the study that races it."""
