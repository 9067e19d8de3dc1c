"""Names of our own, and those of others that only look a little like them."""

import pytest

from fsgauge.record.run_token import own_name, without_place, without_token


def test_what_is_made_is_what_is_left_out():
    made = f"/run/fsgauge/{own_name('0123456789ab', 'ram')}/storage.img"
    other = f"/run/fsgauge/{own_name('ba9876543210', 'ram')}/storage.img"
    assert without_token(made) == without_token(other) == "/run/fsgauge/fsgauge-*-ram/storage.img"
    assert without_token(made) != without_token(made.replace("-ram", "-mount"))


@pytest.mark.parametrize("path", ["/mnt/fsgauge-data", "/srv/fsgauge-0123-ram", "/var/tmp"])
def test_a_folder_of_the_user_keeps_its_name(path):
    assert without_token(path) == path


def test_a_tool_s_words_without_the_device():
    said = "meta-data=/dev/loop1 isize=512, log on /dev/loop10"
    assert without_place(said, "/dev/loop1") == (
        "meta-data=the device isize=512, log on /dev/loop10"
    )
    assert without_place("none", "none") == "none"
