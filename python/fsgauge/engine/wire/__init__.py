"""The types of the crate `fsgauge-wire`: jobs that go to the engine, events that come back.

`scripts/wire` makes `generated` from the JSON schemas in `schema/`, which the crate generates; a
test makes it again and compares. Every key is raw and carries its unit last.
"""

from __future__ import annotations

from fsgauge.engine.wire.base import Wire as Wire
from fsgauge.engine.wire.generated import *  # noqa: F403 - the types of the crate, all of them
from fsgauge.engine.wire.parts import elapsed_with_finish_ns as elapsed_with_finish_ns
from fsgauge.engine.wire.parts import processor_with_finish_ns as processor_with_finish_ns
from fsgauge.engine.wire.parts import sides_of as sides_of
from fsgauge.engine.wire.parts import timed_operations as timed_operations
from fsgauge.engine.wire.parts import timed_parts as timed_parts
