"""Find out whether parallel input and output give right data here, and what small operations cost."""

from quire.doctor.examination import Wishes, examine
from quire.doctor.record import Check, Cost, FileSystem, Finding, Record, load, save
from quire.doctor.world import CannotRunError

__all__ = [
    "CannotRunError",
    "Check",
    "Cost",
    "FileSystem",
    "Finding",
    "Record",
    "Wishes",
    "examine",
    "load",
    "save",
]
