"""Test whether parallel I/O returns correct data here, and measure the time of small operations."""

from quire.lab.doctor.examination import Wishes, examine
from quire.lab.doctor.record import Check, Cost, FileSystem, Finding, Record, load, save
from quire.lab.doctor.world import CannotRunError

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
