"""The device as a strip from its first byte to its last, with group borders; free space a group.
Takes wire types; gives SVG. A column is a share of the device, its parts are stacked."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from fsgauge.engine.wire import Group, ScanMap
from fsgauge.report.scan.map import COLOURS, KINDS, NAMES, folded, shares_of
from fsgauge.units import size_down

if TYPE_CHECKING:
    import numpy as np

_COLUMNS = 512
_WIDTH, _HEIGHT, _TICKS = 1024, 64, 8
_MOST_BORDERS = 128
_OPACITY = {"free": 0.24, "unallocated": 0.24}


def strip(area: ScanMap, groups: Sequence[Group], size_bytes: int) -> str:
    """The device as a strip; a tick where a group begins (every so many, where there are many)."""
    shares = shares_of(area)
    cells = _cells_within(area, size_bytes)
    stacks = {kind: folded(shares[kind][:cells], _COLUMNS) / 255 for kind in KINDS}
    floor = stacks["data"] * 0
    paths = []
    for kind in KINDS:
        top = floor + stacks[kind]
        paths.append(_area(kind, floor, top))
        floor = top
    label = "The device from its first byte to its last: what each place holds."
    ticks = _borders(groups, size_bytes)
    return _svg(label, _HEIGHT + _TICKS, "".join(paths) + ticks)


def every_nth(groups: Sequence[Group]) -> int:
    """How many groups lie between two ticks."""
    return max(1, -(-len(groups) // _MOST_BORDERS))


def group_bars(groups: Sequence[Group], size_bytes: int) -> str:
    """A bar a group: its free share, and in it, darker, its largest free extent."""
    if not groups or not size_bytes:
        return ""
    bars = []
    for part in _merged(groups):
        begin, length = part[0].offset_bytes, sum(each.size_bytes for each in part)
        end = part[-1].offset_bytes + part[-1].size_bytes
        free = sum(each.free_bytes for each in part)
        largest = max(each.largest_free_bytes for each in part)
        x = _WIDTH * begin / size_bytes
        width = max(_WIDTH * (end - begin) / size_bytes - 1, 0.8)
        tip = (
            f"{_numbers(groups, part)} from {size_down(begin)}: {size_down(free)} of"
            f" {size_down(length)} free, largest piece {size_down(largest)}"
        )
        bars.append(
            f'<g class="hover"><title>{escape(tip)}</title>'
            + _bar(x, width, 1.0, "var(--soft, #f6f7f9)")
            + _bar(x, width, free / length if length else 0, _rgb("free"), 0.35)
            + _bar(x, width, largest / length if length else 0, _rgb("free"))
            + "</g>"
        )
    return _svg("Free space in each group.", _HEIGHT, "".join(bars))


def difference_strip(before: ScanMap, now: ScanMap, size_bytes: int) -> str:
    """Along the device: up what came to be in use, down what came to be free."""
    import numpy as np

    cells = _cells_within(now, size_bytes)

    def used(area: ScanMap) -> np.ndarray[Any, Any]:
        shares = shares_of(area)
        return folded(255 - shares["free"][:cells] - shares["unallocated"][:cells], _COLUMNS) / 255

    change = used(now) - used(before)
    middle = change * 0 + 0.5
    more = _area("data", middle, middle + np.clip(change, 0, 1) / 2)
    less = _area("free", middle + np.clip(change, -1, 0) / 2, middle, opacity=0.8)
    line = (
        f'<path d="M0 {_HEIGHT / 2}H{_WIDTH}" stroke="var(--muted, #5b6470)" stroke-width="0.7"/>'
    )
    label = "What came to be in use (up) and free (down) between the two scans, along the device."
    return _svg(label, _HEIGHT, more + less + line)


def legend() -> list[tuple[str, str, float]]:
    return [(NAMES[kind], _rgb(kind), _OPACITY.get(kind, 1.0)) for kind in KINDS]


def _cells_within(area: ScanMap, size_bytes: int) -> int:
    """Cells that the device reaches; those behind its end are no part of it."""
    if area.cell_bytes == 0 or size_bytes == 0:
        return len(area.data)
    return max(1, min(len(area.data), -(-size_bytes // area.cell_bytes)))


def _area(
    kind: str, floor: np.ndarray[Any, Any], top: np.ndarray[Any, Any], opacity: float | None = None
) -> str:
    """One kind's part of all columns, as one path of boxes."""
    step = _WIDTH / len(top)
    width = f"{step:.1f}"
    boxes = [
        f"M{step * at:.1f} {_HEIGHT * (1 - high):.1f}h{width}V{_HEIGHT * (1 - low):.1f}h-{width}z"
        for at, (low, high) in enumerate(zip(floor.tolist(), top.tolist(), strict=True))
        if high - low > 0.002
    ]
    strength = _OPACITY.get(kind, 1.0) if opacity is None else opacity
    return f'<path fill="{_rgb(kind)}" fill-opacity="{strength}" d="{"".join(boxes)}"/>'


def _borders(groups: Sequence[Group], size_bytes: int) -> str:
    if not size_bytes:
        return ""
    ticks = "".join(
        f"M{_WIDTH * group.offset_bytes / size_bytes:.1f} {_HEIGHT}v{_TICKS}"
        for group in groups[:: every_nth(groups)]
    )
    return f'<path d="{ticks}" stroke="var(--muted, #5b6470)" stroke-width="1" fill="none"/>'


def _merged(groups: Sequence[Group]) -> list[Sequence[Group]]:
    many = every_nth(groups)
    return [groups[at : at + many] for at in range(0, len(groups), many)]


def _numbers(groups: Sequence[Group], part: Sequence[Group]) -> str:
    first = groups.index(part[0])
    return f"group {first}" if len(part) == 1 else f"groups {first} to {first + len(part) - 1}"


def _bar(x: float, width: float, share: float, fill: str, opacity: float = 1.0) -> str:
    height = _HEIGHT * min(max(share, 0.0), 1.0)
    return (
        f'<rect x="{x:.2f}" y="{_HEIGHT - height:.2f}" width="{width:.2f}" height="{height:.2f}"'
        f' fill="{fill}" fill-opacity="{opacity}"/>'
    )


def _rgb(kind: str) -> str:
    return "#" + "".join(f"{part:02x}" for part in COLOURS[kind])


def _svg(label: str, height: int, inside: str) -> str:
    return (
        f'<svg class="chart device" role="img" aria-label="{escape(label)}"'
        f' viewBox="0 0 {_WIDTH} {height}" preserveAspectRatio="none">{inside}</svg>'
    )
