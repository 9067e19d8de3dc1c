"""What only one kind of study has, asked for by its model."""

from __future__ import annotations

import pytest

from fsgauge.stats.result_model import OwnResults
from tests.synthetic import make_study


class Another(OwnResults):
    """Of a kind that no study has."""


def test_the_results_of_another_kind_are_none_or_refused() -> None:
    results = make_study(blocks=1).results()
    assert Another.of(results) is None
    with pytest.raises(TypeError, match="has no Another"):
        Another.within(results)


def test_its_own_are_the_same_either_way() -> None:
    results = make_study(blocks=1).results().model_copy(update={"own": Another()})
    assert Another.within(results) is Another.of(results)
