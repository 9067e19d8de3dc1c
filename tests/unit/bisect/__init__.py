"""The search for the kernel that brought a loss."""
