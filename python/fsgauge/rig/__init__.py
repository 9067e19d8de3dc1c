"""Rigs: the world a run happens in. rig.py says what every rig offers; host/ is this machine."""
