"""quire stats: statistics of columns, and the quantities of a beam."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli import completion
from quire.cli.command import command_of_ranks
from quire.cli.copying import Format, Strict, common_request
from quire.cli.hints import refuse_names_first
from quire.cli.options import ReadOptions, ShownUnits, parse_options, parse_units
from quire.cli.output import JsonList, columns_of_text, plural, printable, remark, say, say_json
from quire.cli.parallel import is_first_rank
from quire.cli.particles import Convention, Species
from quire.cli.selecting import Columns, FirstTable, Index, Rows, Steps, Where
from quire.cli.streams import STANDARD, communicator_for, readable
from quire.cli.verbs.stats import AcrossColumns, Blocks, Window

if TYPE_CHECKING:
    from quire.beam.quantities import Quantity
    from quire.beam.request import BeamRequest
    from quire.cli.verb import Input, Stage
    from quire.toolkit.beam import StepBeam
    from quire.toolkit.selection import StepSelection
    from quire.toolkit.statistics import StatisticsRequest, StepStatistics
    from quire.toolkit.wanted_units import WantedUnits

SHORT = ("charge", "mean_energy", "energy_spread", "sigma_x", "sigma_y", "sigma_z", "sigma_t",
         "emittance_nx", "emittance_ny")  # fmt: skip
"""The quantities that are printed of several steps, one line a step."""

STEP_WIDTH = 6
NUMBER_WIDTH = 13


File = Annotated[str, typer.Argument(metavar="FILE", help="A data file; - is standard input.")]
What = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[WHAT]...",
        autocompletion=completion.expression,
        help="Only these: 'std(x)', 'n=count(x)', emittance_nx.",
    ),
]
Beam = Annotated[bool, typer.Option("--beam", help="Quantities of the particles.")]
Weight = Annotated[
    str | None,
    typer.Option(
        "--weight",
        autocompletion=completion.columns,
        help="Column of weights; with --beam those of the file are used.",
    ),
]
Slices = Annotated[
    str,
    typer.Option("--slices", metavar="N", help="With --beam: number of slices; 20:charge: of equal charge."),
]
Screen = Annotated[float | None, typer.Option("--screen", help="With --beam: drift to this z, in m, first.")]
Robust = Annotated[
    bool, typer.Option("--robust", help="With --beam: medians, emittances of the best 90 %, ...")
]
Wavelength = Annotated[
    float | None, typer.Option("--wavelength", help="With --beam: bunching at this wavelength, in m.")
]
Output = Annotated[str | None, typer.Option("--output", "-o", help="Write a table with a row for each step.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an existing output.")]
Json = Annotated[bool, typer.Option("--json", help="Print everything as JSON.")]


@command_of_ranks
def stats(
    file: File,
    what: What = None,
    beam: Beam = False,
    columns: Columns = None,
    steps: Steps = None,
    index: Index = None,
    rows: Rows = None,
    table: FirstTable = None,
    where: Where = None,
    weight: Weight = None,
    across_columns: AcrossColumns = False,
    window: Window = None,
    blocks: Blocks = False,
    convention: Convention = None,
    species: Species = None,
    slices: Slices = "50",
    screen: Screen = None,
    robust: Robust = False,
    wavelength: Wavelength = None,
    unit: ShownUnits = None,
    output: Output = None,
    format: Format = None,
    overwrite: Overwrite = False,
    read_option: ReadOptions = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Print statistics of columns, or the quantities of a beam.

    Count, limits, mean, rms deviation from the mean and rms of every column of numbers. With --beam:
    centroid, sizes, emittances, Twiss parameters, energy, current and slices of the particles,
    each with its unit. The file is read block by block, and in parallel under mpiexec with the same result.

    With WHAT only these reductions of columns and quantities of the beam, a row for each step, as by the
    verb stats of quire run, with --across-columns, --window, --blocks, --convention and --species.

    Example: quire stats beam.h5 --columns x,px --where 'abs(x) < 1e-4'

    Example: quire stats beam.h5 'std(x)' 'r=percentile(x, 90)' emittance_nx

    Example: quire stats beam.h5 --beam -o emittance.h5
    """
    from quire.errors import UsageError
    from quire.toolkit.selection import parse_names, parse_rows, parse_steps

    if file != STANDARD:
        refuse_names_first("stats", file, what or [])
    if what:
        unused = {"--beam": beam, "--columns": columns, "--weight": weight, "--screen": screen is not None,
                  "--robust": robust, "--wavelength": wavelength, "--unit": unit}  # fmt: skip
        if given := [name for name, value in unused.items() if value]:
            raise UsageError(
                f"{given[0]} is an option of statistics without WHAT; reductions such as std(x) lack it",
                advice=f"leave out {given[0]}, or WHAT",
            )
        from quire.cli.verb import Input
        from quire.cli.verbs.stats import stats as reductions

        source = Input(file, steps, index, table, rows, where, None, read_option)
        stage = reductions(what, False, across_columns, window, blocks, convention, species)
        report_reductions(source, stage, output, format, overwrite, strict, json)
        return
    needy = {"--strict": strict, "--across-columns": across_columns, "--window": window, "--blocks": blocks}
    if given := [name for name, value in needy.items() if value]:
        raise UsageError(f"{given[0]} needs reductions such as std(x)")
    if beam and weight is not None:
        raise UsageError("--beam uses the weights of the file; leave out --weight")
    if not beam and any((convention, species, screen is not None, robust, wavelength)):
        raise UsageError("--convention, --species, --screen, --robust and --wavelength need --beam")
    job = Job(file, parse_steps(steps, index=index), parse_options(read_option), output, format)
    job.check_output(overwrite)
    names = parse_names(columns)
    table = table or ""
    if beam:
        from quire.beam.request import BeamRequest
        from quire.toolkit.wanted_units import WantedUnits

        request = BeamRequest(
            where, table, convention, species, slices, screen, robust, wavelength, parse_rows(rows)
        )
        job.report_beams(request, Choice(names, WantedUnits(parse_units(unit))), json)
    else:
        from quire.toolkit.statistics import StatisticsRequest

        job.report_columns(
            StatisticsRequest(names, table, where, weight, parse_units(unit), parse_rows(rows)), json
        )


def report_reductions(
    source: Input,
    reductions: Stage,
    output: str | None,
    format: str | None,
    overwrite: bool,
    strict: bool,
    json: bool,
) -> None:
    """Collective. Print or write reductions of columns, a row for each step."""
    from quire.cli.run import print_result
    from quire.cli.verb import change_file
    from quire.cli.verbs.write import Writing

    if output is None:
        others = ("-o OUT keeps all", "-o OUT keeps all")
        print_result(source, [reductions], strict=strict, others=others, json=json)
    else:
        request = common_request(output, format, None, None, None, overwrite)
        change_file(source, [reductions], Writing(output, request, json=json), strict)


@dataclass(frozen=True)
class Choice:
    """Which quantities of beams are printed: some names or None for all, and their units."""

    names: Sequence[str] | None
    units: WantedUnits

    def of(self, one: StepBeam) -> list[Quantity]:
        """Return the chosen quantities of a beam."""
        found = one.chosen(self.names)
        self.units.require_used(info.name for info in found)
        return [
            replace(info, value=float(self.units.convert(info, info.value)), unit=self.units.of(info).unit)
            for info in found
        ]


class Job:
    """One file and what is done with its numbers."""

    def __init__(
        self,
        file: str,
        steps: StepSelection,
        options: dict[str, Any],
        output: str | None,
        format: str | None,
    ) -> None:

        self.file = file
        self.steps = steps
        self.options = options
        self.output = output
        self.format = format
        self.comm = communicator_for(file)

    def check_output(self, overwrite: bool) -> None:
        """Raise an error for an output that cannot be written, before anything is computed."""
        if self.output is None:
            return
        from quire.toolkit.convert import target_format
        from quire.toolkit.replacing import refuse_overwriting

        target_format(self.output, self.format)
        refuse_overwriting(self.file, self.output, overwrite)

    def report_beams(self, request: BeamRequest, choice: Choice, json: bool) -> None:
        """Collective. Print or write the quantities of the particles of each step."""
        from quire.cli.trace import trace
        from quire.toolkit.beam import beams
        from quire.toolkit.step_table import numbers_of

        with readable(self.file) as local:
            found = beams(local, request, comm=self.comm, steps=self.steps, observe=trace, **self.options)
            if self.output is not None:
                self.write((one.number, [*numbers_of(one.step), *choice.of(one)]) for one in noted(found))
            elif json:
                say_json({"path": self.file, "steps": JsonList(as_dictionary(one, choice) for one in found)})
            else:
                print_beams(noted(found), choice)

    def report_columns(self, request: StatisticsRequest, json: bool) -> None:
        """Collective. Print or write the statistics of the columns of each step."""
        from quire.cli.trace import trace
        from quire.toolkit.statistics import statistics

        with readable(self.file) as local:
            found = statistics(
                local, request, comm=self.comm, steps=self.steps, observe=trace, **self.options
            )
            if self.output is not None:
                self.write((one.number, one.quantities) for one in found)
            elif json:
                say_json({"path": self.file, "steps": JsonList(map(statistics_as_dictionary, found))})
            else:
                for one in found:
                    print_statistics(one, request.where)

    def write(self, rows: Iterable[tuple[int, Iterable[Quantity]]]) -> None:
        """Collective. Write the output, a table with a row for each step."""
        from quire.toolkit.step_table import StepTable

        assert self.output is not None
        table = StepTable()
        for number, quantities in rows:
            table.add(number, quantities)
        table.write(self.output, self.comm, self.format)
        say(f"{self.output}: {plural(len(table), 'row')}")


def noted(found: Iterable[StepBeam]) -> Iterator[StepBeam]:
    """Yield beams, and print their warnings on standard error."""
    for one in found:
        for warning in one.beam.warnings if is_first_rank() else ():
            remark(f"warning: step {one.number}: {printable(warning)}")
        yield one


def number(value: float) -> float | None:
    """Return a number for JSON, which has no NaN."""
    return value if math.isfinite(value) else None


def text(value: float) -> str:
    """Return a number for people; whole ones without an exponent."""
    return f"{value:.0f}" if float(value).is_integer() and abs(value) < 1e9 else f"{value:.7g}"


def print_beams(found: Iterator[StepBeam], choice: Choice) -> None:
    """Print all quantities of a single step, or some of several steps with a line for each."""
    some = list(itertools.islice(found, 2))
    if len(some) == 1:
        print_beam(some[0], choice)
    elif some:
        short = [name for name in SHORT if name in some[0].beam]
        print_lines(
            itertools.chain(some, found), choice if choice.names is not None else replace(choice, names=short)
        )


def print_beam(one: StepBeam, choice: Choice) -> None:
    """Print the quantities of one beam, a line each."""
    weights = "" if one.beam.has_weights else ", no weights: each row is one particle"
    say(f"step {one.number}: {one.beam.species.name}, convention {one.beam.convention}{weights}")
    cells = [
        [info.name, text(info.value), info.unit, info.reason or info.description] for info in choice.of(one)
    ]
    for line in columns_of_text([[printable(cell) for cell in row] for row in cells], "  "):
        say(line)


def print_lines(found: Iterable[StepBeam], choice: Choice) -> None:
    """Print a line for each step, while the steps are read."""
    widths: list[int] = []
    for one in found:
        infos = choice.of(one)
        if not widths:
            heads = [f"{info.name} [{info.unit}]" if info.unit else info.name for info in infos]
            widths = [max(len(head), NUMBER_WIDTH) for head in heads]
            say("  ".join(["step".rjust(STEP_WIDTH), *map(str.rjust, heads, widths)]))
        numbers = map(str.rjust, [text(info.value) for info in infos], widths)
        say("  ".join([str(one.number).rjust(STEP_WIDTH), *numbers]))


def as_dictionary(one: StepBeam, choice: Choice) -> dict[str, Any]:
    """Return a beam for JSON. A value that does not exist is null, with the reason."""
    return {
        "step": one.number,
        "convention": one.beam.convention,
        "species": one.beam.species.name,
        "has_weights": one.beam.has_weights,
        "warnings": one.beam.warnings,
        "quantities": {
            info.name: {"value": number(info.value), "unit": info.unit}
            | ({"reason": info.reason} if info.reason else {})
            for info in choice.of(one)
        },
    }


def print_statistics(one: StepStatistics, where: str | None) -> None:
    """Print the statistics of the columns of a step, of the rows with a condition."""
    from quire.toolkit.statistics import STATISTICS

    named = f", table {printable(one.table)}" if one.table else ""
    chosen = "" if where is None or one.chosen is None else f", {one.chosen} of them with {printable(where)}"
    say(f"step {one.number}: {plural(one.rows, 'row')}{named}{chosen}")
    rows = [["column", "unit", *("rms deviation" if name == "sigma" else name for name in STATISTICS)]]
    rows += [
        [column.name, column.unit, *(text(getattr(column, name)) for name in STATISTICS)]
        for column in one.columns
    ]
    for line in columns_of_text([[printable(cell) for cell in row] for row in rows], "  "):
        say(line)
    for column in one.columns:
        if column.others:
            say(f"  {printable(column.name)}: {plural(column.others, 'value')} not finite, left out")


def statistics_as_dictionary(one: StepStatistics) -> dict[str, Any]:
    """Return the statistics of a step for JSON."""
    from quire.toolkit.statistics import STATISTICS

    return {
        "step": one.number,
        "table": one.table,
        "rows": one.rows,
        "columns": {
            column.name: {"unit": column.unit}
            | {name: number(getattr(column, name)) for name in (*STATISTICS, "others", "weight")}
            for column in one.columns
        },
    }
