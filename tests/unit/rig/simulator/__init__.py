"""The simulator rig."""
