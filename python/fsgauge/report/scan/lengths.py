"""A distribution of extent lengths by bytes, in powers of two; a second one, hollow, beside it.
Takes length bins; gives SVG: the share of all bytes that lie in extents of each length."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from fsgauge.engine.wire import LengthBin
from fsgauge.units import count, size_down

_HEIGHT, _LEFT, _BOTTOM, _TOP = 190, 42, 40, 10
_RIGHT = 12
_FEWEST = 6


def lengths_chart(
    label: str,
    bins: Sequence[LengthBin],
    before: Sequence[LengthBin] | None,
    *,
    width: int,
    colour: str,
) -> str:
    """The chart; empty where there is nothing to show."""
    exponents = _exponents([*bins, *(before or ())])
    if not exponents:
        return ""
    now, old = _shares(bins), _shares(before or ())
    highest = max([*now.values(), *old.values()])
    step = (width - _RIGHT - _LEFT) / len(exponents)
    room = _HEIGHT - _TOP - _BOTTOM
    parts = [_axis(highest, width, room)]
    for at, exponent in enumerate(exponents):
        x = _LEFT + step * at
        if before is not None:
            parts.append(_bar(x, step, room * old.get(exponent, 0) / highest, None))
        parts.append(_bar(x, step, room * now.get(exponent, 0) / highest, colour))
        parts.append(_hover(x, step, _tip(exponent, bins, before)))
        if at % _every(len(exponents), width) == 0:
            parts.append(text_at(x + step / 2, _HEIGHT - _BOTTOM + 15, size_down(1 << exponent)))
    parts.append(text_at((_LEFT + width) / 2, _HEIGHT - 6, "length, from this to below twice it"))
    return (
        f'<svg class="chart" role="img" aria-label="{escape(label)}" viewBox="0 0 {width}'
        f' {_HEIGHT}" style="max-width:{width}px">{"".join(parts)}</svg>'
    )


def _exponents(bins: Sequence[LengthBin]) -> list[int]:
    """All powers of two from the first to the last, at least a few, so that bars have a scale."""
    found = [each.at_least_bytes.bit_length() - 1 for each in bins if each.size_bytes]
    if not found:
        return []
    low, high = min(found), max(found)
    return list(range(low, max(high, low + _FEWEST - 1) + 1))


def _shares(bins: Sequence[LengthBin]) -> dict[int, float]:
    total = sum(each.size_bytes for each in bins)
    return {
        each.at_least_bytes.bit_length() - 1: each.size_bytes / total
        for each in bins
        if each.size_bytes
    }


def _tip(exponent: int, bins: Sequence[LengthBin], before: Sequence[LengthBin] | None) -> str:
    head = f"{size_down(1 << exponent)} to below {size_down(2 << exponent)}"
    if before is None:
        return f"{head}: {_amount(exponent, bins)}"
    return f"{head}: {_amount(exponent, bins)}; before: {_amount(exponent, before)}"


def _amount(exponent: int, bins: Sequence[LengthBin]) -> str:
    entry = next((each for each in bins if each.at_least_bytes == 1 << exponent), None)
    if entry is None:
        return "none"
    share = 100 * _shares(bins).get(exponent, 0)
    pieces = count(entry.extents, "extent")
    return f"{pieces}, {size_down(entry.size_bytes)} ({share:.1f} %)"


def _every(bars: int, width: int) -> int:
    """Labels of 48 pixels must not run into one another."""
    return max(1, -(-48 * bars // (width - _LEFT)))


def _axis(highest: float, width: int, room: int) -> str:
    parts = []
    for share in (0.0, highest / 2, highest):
        y = _HEIGHT - _BOTTOM - room * share / highest
        line = f"M{_LEFT} {y:.1f}H{width - _RIGHT}"
        parts.append(f'<path d="{line}" stroke="var(--grid, #e3e6ea)" stroke-width="1"/>')
        parts.append(text_at(_LEFT - 4, y + 4, f"{100 * share:.0f} %", anchor="end"))
    return "".join(parts)


def _bar(x: float, step: float, height: float, colour: str | None) -> str:
    y = _HEIGHT - _BOTTOM - height
    look = f'fill="{colour}" fill-opacity="0.85"'
    left, width = x + step * 0.14, step * 0.72
    if colour is None:
        look = 'fill="none" stroke="var(--ink, #1f2328)" stroke-width="1.2"'
        left, width = x + step * 0.05, step * 0.9
    if height <= 0:
        return ""
    return f'<rect x="{left:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {look}/>'


def _hover(x: float, step: float, tip: str) -> str:
    return (
        f'<rect class="hover" x="{x:.1f}" y="{_TOP}" width="{step:.1f}"'
        f' height="{_HEIGHT - _BOTTOM - _TOP}" fill="transparent"><title>{escape(tip)}</title>'
        "</rect>"
    )


def text_at(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="11"'
        f' fill="var(--muted, #636c76)">{escape(words)}</text>'
    )
