"""Ageing one file system by an operation log, with a scan before and after.

ageing.py    the main path, for an image and for a folder
profile.py   a profile with its --set parameters; mode and fill level on copy-on-write file systems
target.py    what TARGET is, and when it is refused
wearing.py   scan, age, scan
image.py     a sparse file: made, mounted, aged, unmounted; its checksum
fidelity.py  how far a mode's layout is from that of written files
copying.py   a copy of an aged image, by reflink or as a sparse file
record.py    NAME.age.json and the two scans, beside the image
words.py     what the command prints
"""
