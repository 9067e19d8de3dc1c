"""`storage.precondition`: taken for devices, tried on small images, refused with a reason."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.study.parse import load_study
from fsgauge.study.storage import is_preconditioned

SNIA = "storage.precondition=snia"


@pytest.mark.parametrize("storage", ["/dev/disk/by-id/nvme-x", "loop:1GiB", "ram:512MiB"])
def test_a_device_and_small_images_are_preconditioned(storage: str) -> None:
    study = load_study("overhead", [SNIA], storage=storage, seed=1)
    assert is_preconditioned(study.storage)
    plain = load_study("overhead", storage=storage, seed=1)
    assert not is_preconditioned(plain.storage)


@pytest.mark.parametrize(
    ("study", "storage", "why"),
    [
        ("demo-user", "path:/mnt/x", "would destroy the file system that it is on"),
        ("overhead", "loop:2GiB", "is for a flash device"),
        ("overhead", "ram:2GiB", "is for a flash device"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(study: str, storage: str, why: str) -> None:
    with pytest.raises(InputError) as caught:
        load_study(study, [SNIA], storage=storage, seed=1)
    assert why in caught.value.what
    assert "whole device" in caught.value.next


def test_another_word_is_not_known() -> None:
    with pytest.raises(InputError, match='"sina" is not known'):
        load_study("overhead", ["storage.precondition=sina"], storage="/dev/sdx", seed=1)
