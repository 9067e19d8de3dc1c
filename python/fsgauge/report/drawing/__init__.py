"""Charts are drawn in a child interpreter, which may end: then a page lacks a chart, and says why.

__main__.py   the child: specifications in, pictures out
child.py      it is started with the first chart of a process, and asked for all of them
"""

from fsgauge.report.drawing.child import NotDrawn, svg_of

__all__ = ["NotDrawn", "svg_of"]
