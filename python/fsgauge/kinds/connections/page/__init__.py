"""What a report shows of many clients: the published rows, latency, extents, fairness, checks."""
