"""Studies: read from a file and checked, written back, described."""

from __future__ import annotations

from fsgauge.study.dump import dump_study
from fsgauge.study.parse import load_study
from fsgauge.study.reference import explain_key
from fsgauge.study.shipped import shipped_studies, template

__all__ = ["dump_study", "explain_key", "load_study", "shipped_studies", "template"]
