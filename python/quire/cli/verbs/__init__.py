"""The verbs of the toolkit: each module has a function with the options of a verb, which returns a stage.

A stage changes the steps of a file. `quire VERB IN OUT ...` runs one, `quire run IN / VERB ... / VERB ...`
several.
"""

SIGNALS = ("hist", "map", "fft", "tunes", "smooth", "interp", "deriv", "integ", "peaks", "zeros", "outliers")
"""The verbs for histograms and signals."""

TABLES = ("select", "sort", "group", "join", "pages", "melt", "pivot", "transpose", "text", "sample", "track")
"""The verbs for tables."""

FITS = ("fit", "correlate", "matrix")
"""The verbs for fits and matrices."""

VERBS = (*TABLES, *SIGNALS, *FITS)
"""The verbs that are commands of their own, in the order of the help."""

NEW = "new"
"""The verb that begins a chain without a file."""

ENDS = ("write", "get")
"""The verbs that end a chain: they write or print its result."""

GROUPS = {
    "Look into files": ("stats",),
    "Convert, compute, combine": ("define", "filter", "rows", "concat"),
    "Work with tables": TABLES,
    "Histograms and signals": SIGNALS,
    "Fits and matrices": FITS,
    "Last of a chain": ENDS,
}
"""The verbs of `quire run`, in the order of its help."""

STAGES = tuple(name for names in GROUPS.values() for name in names)
"""The verbs of `quire run`."""
