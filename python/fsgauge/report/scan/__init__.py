"""The page of a scan, or of two: one offline HTML file."""

from fsgauge.report.scan.page import require_ours, scan_page, watch_page, write_scan_page

__all__ = ["require_ours", "scan_page", "watch_page", "write_scan_page"]
