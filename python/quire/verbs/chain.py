"""The verbs as methods of the steps of a file: `quire.chain`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import quire
from quire.toolkit.selection import StepSelection, parse_steps
from quire.verbs import calculus, extrema, order, reshape, rows, spectra, texts
from quire.verbs import correlate as correlating
from quire.verbs import fit as fitting
from quire.verbs import group as grouping
from quire.verbs import hist as binning
from quire.verbs import join as joining
from quire.verbs import maps as mapping
from quire.verbs import matrix as matrices
from quire.verbs import pages as paging
from quire.verbs import sample as sampling
from quire.verbs import select as selecting
from quire.verbs import stats as reducing
from quire.verbs import track as tracking
from quire.verbs.step_chain import StepChain


class Chain(StepChain):
    """The steps of a file, with the verbs of the toolkit as methods. Each returns new steps, lazily.

    Iteration yields the steps, `read`, `to_pandas` and `to_arrow` return their rows, `write` writes a file.

    >>> with quire.chain("beam.h5", steps="0") as steps:
    ...     steps.sort("z:desc").rows(slice(0, 3)).read(["id"])["id"].tolist()
    [354, 1197, 1843]
    """

    collapse = paging.collapse
    concat = paging.append
    correlate = correlating.correlate
    define = rows.define
    deriv = calculus.deriv
    expand = paging.expand
    fft = spectra.fft
    filter = rows.filter_
    fit = fitting.fit
    group = grouping.group
    hist = binning.hist
    integ = calculus.integ
    interp = calculus.interp
    invert = matrices.invert
    join = joining.join
    map = mapping.map_
    melt = reshape.melt
    merge = paging.merge
    multiply = matrices.multiply
    outliers = extrema.outliers
    peaks = extrema.peaks
    pivot = reshape.pivot
    pseudo_invert = matrices.pseudo_invert
    reduced = reducing.reduced
    renumber = paging.renumber
    rows = rows.rows
    sample = sampling.sample
    select = selecting.select
    smooth = calculus.smooth
    sort = order.sort
    sort_steps = order.sort_steps
    split = paging.split
    stats = reducing.stats
    swap = paging.swap
    text = texts.text
    track = tracking.track
    transpose = reshape.transpose
    tunes = spectra.tunes
    unique = order.unique
    zeros = extrema.zeros


def chain(
    path: str | Path,
    *,
    steps: int | str | StepSelection | None = None,
    table: str = "",
    memory: int | None = None,
    comm: Any = None,
    **options: Any,
) -> Chain:
    """Collective. Open a file, to change its steps by verbs. Nothing is read before it is needed.

    Parameters
    ----------
    steps : number of a step, or numbers such as "1,4-8"; None is all
    table : name of the table to work on, if steps have several
    memory : bytes above which verbs that sort, group and join use temporary files, see `limited`
    comm : a communicator of mpi4py; verbs that work row by row share the rows
    options : of the reader, as for `quire.open`

    >>> with quire.chain("beam.h5") as steps:
    ...     steps.filter("x > 0").stats("count(x)").read(["x_count"])["x_count"].tolist()
    [981, 1016, 1017, 980, 984]
    """
    file = quire.open(path, comm, **options)
    selected = steps if isinstance(steps, StepSelection | None) else parse_steps(str(steps))
    return Chain.of_file(file, selected, table).limited(memory)
