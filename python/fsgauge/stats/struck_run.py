"""A run that was struck on purpose, as report.json has it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class StruckRun(BaseModel):
    """A run that was struck on purpose, by one fault. Moments count from the beginning of its load;
    `before`, `during` and `after` are operations per second, `recovered_ns` how long after the end
    of the fault the rate was back at nine tenths of that before; `hindered` why the fault was not
    carried out as planned."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    block: int
    system: str
    cell: str
    cell_name: str
    fault: str
    began_ns: int | None
    ended_ns: int | None
    back_ns: int | None
    before: float | None
    during: float | None
    after: float | None
    recovered_ns: int | None
    run_fault: str
    words: list[str]
    hindered: str
