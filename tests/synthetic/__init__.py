"""Records of studies that never ran, with planted effects and plausible values.

`make_study(...)` gives a `SyntheticStudy`; `.write(directory)` stores it as `fsgauge run` would.
"""

from tests.synthetic.engine import ENGINE
from tests.synthetic.histogram import bucket_index, histogram_of
from tests.synthetic.recipe import ONE_CELL, Recipe
from tests.synthetic.study import SyntheticStudy, make_study

__all__ = [
    "ENGINE",
    "ONE_CELL",
    "Recipe",
    "SyntheticStudy",
    "bucket_index",
    "histogram_of",
    "make_study",
]
