"""A gate: accepted runs of one study teach it their noise, a new run is judged against that.

    folder.py         a results folder as a gate takes it
    measured.py       its numbers: a line a cell, system and metric
    learned.py        what a gate has learnt from accepted runs; the model of its file
    noise.py          how runs of equal builds differ, how far a new run may come out, and which
                      lines are judged by how many tests
    visible.py        the smallest loss that can be seen, and how many runs another one takes
    accept.py         accepted folders join what was learnt
    judge.py          new runs against what was learnt, line by line, and as ratios for limits
    check.py          the verdict

The method and its sources: docs/evidence/gate.md.
"""
