"""What a page looks like, measured in a browser: text over text, text that is cut, tables that are.

`faults_of(page)` gives sentences; an empty list is a page without faults.
"""

from __future__ import annotations

from typing import Any

SLACK_PIXELS = 2.5
"""Boxes of text have air above and below the letters."""

_MEASURE = """
(slack) => {
  for (const each of document.querySelectorAll("details")) each.open = true;
  const faults = [];
  const wide = document.documentElement.clientWidth;
  const said = (text) => JSON.stringify(text.textContent.trim().slice(0, 40));
  for (const svg of document.querySelectorAll("svg.chart")) {
    const frame = svg.getBoundingClientRect();
    if (frame.width === 0) continue;
    const figure = svg.closest("figure");
    const name = figure ? figure.id : "svg";
    const texts = Array.from(svg.querySelectorAll("text")).filter(
      (text) => text.textContent.trim() && getComputedStyle(text).opacity !== "0");
    const boxes = texts.map((text) => text.getBoundingClientRect());
    texts.forEach((text, at) => {
      const box = boxes[at];
      if (box.left < frame.left - 8 || box.right > frame.right + 8
          || box.top < frame.top - 4 || box.bottom > frame.bottom + 4)
        faults.push(`${name}: ${said(text)} sticks out of the picture`);
      if (box.left < -0.5 || box.right > wide + 0.5)
        faults.push(`${name}: ${said(text)} is cut by the page's edge`);
      for (let other = at + 1; other < texts.length; other++) {
        const b = boxes[other];
        const across = Math.min(box.right, b.right) - Math.max(box.left, b.left);
        const down = Math.min(box.bottom, b.bottom) - Math.max(box.top, b.top);
        if (across > slack && down > slack)
          faults.push(`${name}: ${said(text)} is over ${said(texts[other])}`);
      }
    });
  }
  for (const table of document.querySelectorAll("table")) {
    const box = table.parentElement;
    if (table.getBoundingClientRect().width === 0) continue;
    const scrolls = ["auto", "scroll"].includes(getComputedStyle(box).overflowX);
    if (!scrolls && table.getBoundingClientRect().right > wide + 0.5)
      faults.push(`table ${table.id} is cut`);
    if (box.getBoundingClientRect().right > wide + 0.5)
      faults.push(`the box of table ${table.id} is wider than the page`);
  }
  if (document.documentElement.scrollWidth > wide)
    faults.push(`the page scrolls sideways: ${document.documentElement.scrollWidth} of ${wide}`);
  return faults;
}
"""


def faults_of(page: Any) -> list[str]:
    """Everything that overlaps, sticks out or is cut, each once."""
    found: list[str] = page.evaluate(_MEASURE, SLACK_PIXELS)
    return list(dict.fromkeys(found))


FORMS = {"desk": (1440, 900), "phone": (390, 844), "paper": (703, 1030)}


def faults_in_all_forms(page: Any) -> dict[str, list[str]]:
    """The faults of an opened page by form, of those that have any."""
    found = {}
    for form, (width, height) in FORMS.items():
        page.emulate_media(media="print" if form == "paper" else "screen")
        page.set_viewport_size({"width": width, "height": height})
        found[form] = faults_of(page)
    return {form: faults for form, faults in found.items() if faults}
