"""The report: one page that answers, with everything behind it, made from records alone.

    records -> stats.read_study -> charts (SVG), tables, words -> report.html, charts/, report.json

Works without root, engine, disk or network, on any machine, any number of times.
"""

from fsgauge.report.write import write_report

__all__ = ["write_report"]
