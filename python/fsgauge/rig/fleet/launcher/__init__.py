"""What starts fsgauge on the hosts of a fleet: one file each."""
