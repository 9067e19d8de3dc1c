"""Builds the packages that `make packages-release` leaves in target/packages: wheels and .debs.

Not part of the package: it is run by scripts/packages-release, on an export of one commit.
"""
