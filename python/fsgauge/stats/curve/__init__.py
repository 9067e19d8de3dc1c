"""Load curves: at what rate each system passes a limit of latency, and what stands in its way."""
