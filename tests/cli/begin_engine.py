#!/usr/bin/env -S python3 -S
"""The program of fake_engine.py: a module's bytecode is kept, a script's is not."""

import fake_engine

fake_engine.main()
