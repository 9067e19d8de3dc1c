"""The page of a scan, or of two: one offline HTML file."""

from fsgauge.report.scan.page import scan_page
from fsgauge.report.scan.write import require_ours, write_scan_page

__all__ = ["require_ours", "scan_page", "write_scan_page"]
