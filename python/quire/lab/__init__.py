"""Measure and plan: `bench`, `doctor`, `plan` and `advise`, on top of the rest of the package."""
