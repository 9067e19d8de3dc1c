"""The host rig: systems made, measured and undone on this machine."""
