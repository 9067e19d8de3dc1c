"""A child interpreter that draws: Vega-Lite specifications in, pictures out, a line of JSON each.

The library that draws is a program of its own kind within the process: it takes memory by the
gigabyte, and ends the process where it fails. So it is kept in one that may end. Nothing else is
imported here: the child is ready as soon as the library is.
"""

from __future__ import annotations

import json
import sys

_NOTHING = {"data": {"values": []}, "mark": "point"}


def main() -> None:
    """Draw until standard input ends. An answer has "svg", or "error" with the library's words."""
    import vl_convert

    vl_convert.vegalite_to_svg(_NOTHING)  # the first picture of a process takes half a second
    for line in sys.stdin.buffer:
        try:
            answer = {"svg": str(vl_convert.vegalite_to_svg(json.loads(line)))}
        except Exception as error:
            answer = {"error": str(error)}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
