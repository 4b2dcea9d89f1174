"""Measure methods of I/O side by side: plans, launches, reports."""
