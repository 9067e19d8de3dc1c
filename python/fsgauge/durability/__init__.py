"""What a system gives up to be fast: options after which a crash, or a bad block, costs data."""
