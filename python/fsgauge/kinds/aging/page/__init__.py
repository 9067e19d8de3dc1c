"""What a report shows of an aged file system: rates by free space, layouts, predictions."""
