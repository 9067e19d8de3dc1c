"""Prints docs/reference/study-file.md; with the word `words`, docs/reference/words.md."""

from __future__ import annotations

import sys

from fsgauge.study.reference import reference_page, words_page

sys.stdout.write(words_page() if sys.argv[1:] == ["words"] else reference_page())
