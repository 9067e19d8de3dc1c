"""Overhead has the ratios that every study has, and nothing of its own."""

from __future__ import annotations

from fsgauge.stats.analysis import Analysis

ANALYSIS = Analysis()
