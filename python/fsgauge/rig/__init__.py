"""Rigs: rig.py says what is asked of one, registry.py has them by name; host/ is this machine."""
