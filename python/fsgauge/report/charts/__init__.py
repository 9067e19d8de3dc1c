"""The report's pictures; each module gives one drawing, or None when its data say nothing."""
