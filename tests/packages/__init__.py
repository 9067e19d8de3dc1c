"""What `make packages-release` builds: quick tests, and installed.py, which installs it."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "packaging"))
