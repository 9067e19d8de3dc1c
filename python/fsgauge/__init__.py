"""fsgauge: what does your file system really cost you?"""

__version__ = "0.1.0"
