"""Interfaces to other libraries, one module each. A library is imported by the first call that needs it."""
