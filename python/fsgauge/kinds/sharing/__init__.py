"""What network, cached, stacked and cluster file systems cost against a local one."""
