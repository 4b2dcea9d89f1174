"""Old programs of the SDDS toolkit, translated: old scripts keep running; see docs/commands/old-scripts.md.

A program (`programs/`) parses its arguments by the old grammar and returns a translation: acts, which are
data, and what becomes of the result. A translation is printed (`--explain`) or carried out in this process.
"""
