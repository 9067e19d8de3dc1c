"""Block devices: what is on them, who uses them, and the claim that a run holds on one."""
