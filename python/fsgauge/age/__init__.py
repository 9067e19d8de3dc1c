"""Ageing one file system: worn by an operation log, with a scan before and after.

parameters.py   a profile's name and its --set parameters, as the engine takes them
target.py       what TARGET is, and what is refused about it
overwriting.py  mode and fill level where overwrites are copied
wearing.py      scan, age, scan: the same for an image and a folder
image.py        a sparse file, made, mounted, worn, unmounted; everything in the ledger
fidelity.py     how far a mode's layout is from that of written files
checksum.py     the image's content in one number
copying.py      an aged image used again, by reflink or sparse copy
record.py       NAME.age.json and the two scans, beside the image
words.py        what the command says
"""
