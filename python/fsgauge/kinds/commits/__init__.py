"""What a commit costs, by what makes it durable, and whether it reaches the device."""
