"""Types of the compiled core; kept by hand beside python/core/."""

__version__: str
