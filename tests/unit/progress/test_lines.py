"""A reader that goes away ends no study."""

import os

from fsgauge.progress.lines import Audience


def test_what_nobody_hears_is_lost_and_nothing_else():
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as stream:
        audience = Audience(stream)
        audience.say("heard\n")
        assert os.read(reader, 100) == b"heard\n"
        os.close(reader)
        audience.say("lost\n")
        audience.say("lost as well\n")
