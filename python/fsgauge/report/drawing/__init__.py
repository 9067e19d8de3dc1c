"""Charts are drawn in child interpreters, which may end: then a page lacks a chart, and says why.

__main__.py   the child: specifications in, pictures out
child.py      they are started before the first chart of a process, and asked for all of them
"""

from fsgauge.report.drawing.child import NotDrawn, begin, svgs_of

__all__ = ["NotDrawn", "begin", "svgs_of"]
