"""The figures of a report, in their order, and as files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from quire.errors import UsageError
from quire.lab.bench.figures.phases import phase_figure
from quire.lab.bench.figures.picture import Picture
from quire.lab.bench.figures.ratios import ratio_figure
from quire.lab.bench.figures.stragglers import straggler_figure
from quire.lab.bench.figures.style import looks
from quire.lab.bench.figures.times import columns_of_case, time_figure
from quire.lab.bench.summary import Study
from quire.toolkit.replacing import replacement

FORMS = ("svg", "png", "pdf")


@dataclass(frozen=True)
class Figure:
    """A picture of a case, with a name for its file and a caption."""

    case: str
    name: str
    picture: Picture
    caption: str


def figures_of(study: Study, case: str) -> Iterator[Figure]:
    """Independent. All figures of a case."""
    drawn = looks(study.methods, study.baselines)
    what = "payload per second" if study.quantity == "rate" else "times"
    for aspects in columns_of_case(study, case):
        name = "-".join(["times", *(aspect.title for aspect in aspects)])
        caption = (
            f"All measured {what} with their means (upper row; outliers as arrows at the edge, with their "
            "values, and not in the means), means and best values over ranks (lower row)."
        )
        yield Figure(case, name, time_figure(study, case, aspects, drawn), caption)
    for aspect in study.aspects(case):
        picture = ratio_figure(study, case, aspect, drawn)
        if picture is not None:
            caption = "Ratios to raw transfers, each inside one pass; all points, outliers included."
            yield Figure(case, f"ratios-{aspect}", picture, caption)
    for aspect in study.aspects(case):
        picture = phase_figure(study, case, aspect)
        if picture is not None:
            caption = (
                "Phases of the rank with the longest own time, mean over the passes without outliers, and "
                "their sum; wait: for others inside of a commit; barrier: for them at the end; sync: what "
                "durability takes beyond. Where one method takes much longer than others, bars are shares of "
                "their own sums."
            )
            yield Figure(case, f"phases-{aspect}", picture, caption)
    for aspect in study.aspects(case):
        picture = straggler_figure(study, case, aspect)
        if picture is not None:
            caption = (
                "Own time of every rank (all but its wait at the end): dark rows are slow ranks, "
                "single dark fields slow moments."
            )
            yield Figure(case, f"ranks-{aspect}", picture, caption)


def export_figures(study: Study, folder: Path, form: str) -> list[Path]:
    """Independent. Every figure as a file. Raises UsageError."""
    if form not in FORMS:
        raise UsageError(f"there is no form '{form}'", advice=f"one of {', '.join(FORMS)}")
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for case in study.cases:
        for figure in figures_of(study, case):
            path = folder / f"{file_name(case)}-{file_name(figure.name)}.{form}"
            with replacement(path) as beside:
                figure.picture.save(beside, form)
            paths.append(path)
    return paths


def file_name(text: str) -> str:
    """Independent. A text as part of a file's name."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")
