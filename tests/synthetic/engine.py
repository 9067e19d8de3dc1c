"""The engine that the records name."""

from __future__ import annotations

from fsgauge.engine.wire import Engine

ENGINE = Engine(
    version="0.1.0", profile="release", target="x86_64-unknown-linux-musl", commit="synthetic"
)
