"""What is stored of a study, raw and never edited: models without I/O.

records.py    one file a run, a turn, a study: what is in the results folder
machine.py    the facts of a machine; parts.py what it did
merging.py    the parts of a run added up; series.py its many rows
factors.py    what a cell varies; conditions.py what must be equal to pool runs
"""
