"""Measure methods of input and output side by side: plans, launches, reports (docs/benchmarks.md)."""
