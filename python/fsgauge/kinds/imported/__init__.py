"""What another tool measured and `fsgauge import` stored: it is read, and never run."""
