"""The old programs, a module for each: `translate` makes a translation of the arguments."""
