"""A table of which [workload] has several, as [[workload.group]]: what checking and writing ask."""

from __future__ import annotations

from fsgauge.study.base import StudyModel
from fsgauge.study.sweep import Inapplicable


class Listed(StudyModel):
    """One of them; its `name` addresses it on the command line."""

    def inapplicable(self) -> Inapplicable:
        """Keys that have no effect in this table: why, and the key that makes it so."""
        return {}
