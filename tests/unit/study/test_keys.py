"""--set with a key that there is none of: where it was meant, in this study or in another kind."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.study.parse import load_study


@pytest.mark.parametrize(
    ("study", "override", "hint", "explained"),
    [
        ("churn", "levels=3", 'only workload of kind "aging" has it', "workload.levels"),
        ("churn", "fils=3", 'did you mean "workload.fills"?', "workload.fills"),
        (
            "churn",
            "allocation_chunk=1MiB",
            'did you mean "system.NAME.allocation_chunk"?',
            "system.allocation_chunk",
        ),
        (
            "churn-simulated",
            "settings.delay=1MiB",
            "write system.NAME.settings.delay=VALUE",
            "system.settings.delay",
        ),
        (
            "churn-simulated",
            "storage.window=16",
            "write storage.parameters.window=VALUE",
            "storage.parameters.window",
        ),
        (
            "churn-simulated",
            "window=16",
            "write storage.parameters.window=VALUE",
            "storage.parameters.window",
        ),
        ("aging", "window=16", 'did you mean "workload.disk.window"?', "workload.disk.window"),
        (
            "churn-simulated",
            "workload.stripe_size=1MiB",
            'did you mean "storage.stripe_size"?',
            "storage.stripe_size",
        ),
    ],
)
def test_a_key_is_looked_for_in_the_study_at_hand_first(
    study: str, override: str, hint: str, explained: str
) -> None:
    """`--set levels=3` of a study of churn led to workload.levels, which was then refused;
    `--set settings.delay=1MiB` led to storage.model."""
    with pytest.raises(InputError, match="unknown key") as refused:
        load_study(study, [override])
    assert refused.value.location is not None
    assert refused.value.location.hint == hint
    assert refused.value.next == f"fsgauge explain {explained}"
