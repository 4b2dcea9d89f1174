"""The names of the programs: those with a shim, and others with the commands that do the same."""

from __future__ import annotations

from typing import Final

from quire.near import near_names

PROGRAMS: Final = (
    "sddsprocess",
    "sdds2stream",
    "sddsprintout",
    "sddsquery",
    "sddsconvert",
    "sddssort",
    "sddscombine",
    "sddscollapse",
    "sddsexpand",
    "sddsbreak",
    "sddsxref",
    "sddssequence",
    "sddsmakedataset",
    "plaindata2sdds",
    "sddssampledist",
    "sddstranspose",
    "sddsmatrixmult",
    "sddspseudoinverse",
    "sddshist",
    "sddsenvelope",
    "sddsderiv",
    "sddsinteg",
    "sddsinterp",
    "sddsfft",
    "sddsnaff",
    "sddspfit",
    "sddsmpfit",
    "sddsgfit",
    "sddsanalyzebeam",
    "sddsplot",
    "rpnl",
)
"""The programs that are translated."""

INSTEAD: Final = {
    "csv2sdds": "import",
    "sdds2dpfit": "fit",
    "sdds2plaindata": "export",
    "sdds2spreadsheet": "export",
    "sddscast": "select --cast",
    "sddscheck": "check",
    "sddscontour": "map",
    "sddscorrelate": "correlate",
    "sddsdiff": "diff",
    "sddsendian": "convert --option byte_order=big",
    "sddsexpfit": "fit --model exponential",
    "sddsgenericfit": "fit --model",
    "sddshist2d": "hist --joint",
    "sddslorentzianfit": "fit --model lorentzian",
    "sddsmatrix2column": "melt",
    "sddsmselect": "join --how semi",
    "sddsmultihist": "hist",
    "sddsmxref": "join",
    "sddsoutlier": "outliers",
    "sddspeakfind": "peaks",
    "sddsregroup": "pages swap",
    "sddsrowstats": "stats --across-columns",
    "sddsrunstats": "stats --window",
    "sddsselect": "join --how semi",
    "sddssinefit": "fit --model sine",
    "sddsslopes": "fit --order 1",
    "sddssmooth": "smooth",
    "sddssortcolumn": "select",
    "sddssplit": "split",
    "sddszerofind": "zeros",
}
"""Commands by program, with an option where only that does the same."""


def no_shim(program: str) -> str:
    """Independent. Return a sentence about a program without a shim: the command that does the same, or near
    names.

    >>> from quire.legacy.names import no_shim
    >>> no_shim("sddssmooth")
    'there is no shim of sddssmooth; quire smooth does the same'
    >>> no_shim("sddsproces")
    'there is no shim of sddsproces (nearest: sddsprocess)'
    """
    if not program:
        return "name a program: python -m quire.legacy sddsquery FILE"
    if program in INSTEAD:
        return f"there is no shim of {program}; quire {INSTEAD[program]} does the same"
    near = near_names(program, [*PROGRAMS, *INSTEAD], 1)
    hint = f" (nearest: {near[0]})" if near else "; quire shims DIR lists the programs"
    return f"there is no shim of {program}{hint}"
