"""A disk with heads, as a model: what a layout of extents would cost it.

Predicts; measures nothing. `parameters` names every number and its source, `requests` turns files
into the order in which a disk meets their pieces, `positioning` times the head, `predict` adds up.
"""

from fsgauge.kinds.aging.disk.parameters import PUBLISHED, Disk, Parameter, disk_of, parameters_of
from fsgauge.kinds.aging.disk.predict import predict_rate
from fsgauge.kinds.aging.disk.requests import Extents

__all__ = ["PUBLISHED", "Disk", "Extents", "Parameter", "disk_of", "parameters_of", "predict_rate"]
