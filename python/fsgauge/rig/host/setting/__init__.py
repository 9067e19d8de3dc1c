"""Settings of the kernel that a run changes and gives back."""
