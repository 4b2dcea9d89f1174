"""quire bench: compare methods of writing and reading files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from quire.cli.command import answer, command
from quire.cli.output import columns_of_text, plural, remark, say, say_json
from quire.cli.shell import SETTINGS, Command, Program

if TYPE_CHECKING:
    from quire.lab.bench.launch import Launcher, Outcome
    from quire.lab.bench.plan import Changes, Plan

bench = typer.Typer(cls=Program, context_settings=SETTINGS, add_completion=False, rich_markup_mode=None)

PlanFile = Annotated[
    str | None, typer.Argument(metavar="[PLAN.toml]", help="A plan in TOML, in the form of the presets.")
]
PresetName = Annotated[str | None, typer.Option("--preset", help="A plan that is part of Quire.")]
Directory = Annotated[
    str | None, typer.Option("--directory", "-d", help="Directory to measure in; empty or new.")
]
Scale = Annotated[float | None, typer.Option("--scale", help="Factor of all sizes.")]
Ranks = Annotated[str | None, typer.Option("--ranks", metavar="LIST", help="Numbers of ranks: 1,2,4")]
Passes = Annotated[int | None, typer.Option("--passes", min=1, help="Number of measurements of each cell.")]
Seed = Annotated[int | None, typer.Option("--seed", help="Seed of the order of the passes.")]
Operations = Annotated[str | None, typer.Option("--operations", help="Only these operations: write,read")]
Methods = Annotated[list[str] | None, typer.Option("--method", help="Only this method, and the raw ones.")]
Targets = Annotated[list[str] | None, typer.Option("--target", help="Only this target of the plan.")]
OwnFiles = Annotated[list[str] | None, typer.Option("--file", help="Use sizes and shapes of this file.")]
Mode = Annotated[str | None, typer.Option("--mode", help="in-process, or launch: start a job for each cell.")]
MostBytes = Annotated[float | None, typer.Option("--most-bytes", help="Skip cells that write more bytes.")]
MostFiles = Annotated[float | None, typer.Option("--most-files", help="Skip cells that create more files.")]
MostSeconds = Annotated[float | None, typer.Option("--most-seconds", help="Stop after this many seconds.")]
Launched = Annotated[
    str,
    typer.Option("--launcher", help="'mpiexec -n {ranks}', 'srun -n {ranks} -N {nodes}'. Default: found."),
]
RanksPerNode = Annotated[
    int, typer.Option("--ranks-per-node", min=0, help="For {nodes} of the launcher; 0: one node.")
]
Driver = Annotated[str, typer.Option("--driver", help="The program quire-bench.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue an interrupted run.")]
Force = Annotated[bool, typer.Option("--force", help="Accept a directory that is not empty.")]
ResultsFile = Annotated[
    str | None,
    typer.Option("--results", help="File of results, lines of JSON. Default: DIRECTORY/results.jsonl."),
]
Day = Annotated[str | None, typer.Option("--day", help="Label of this day. Default: the date.")]
Silence = Annotated[
    float, typer.Option("--silence", min=0, help="Seconds without output after which a job is ended.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@bench.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    preset: PresetName = None,
    directory: Directory = None,
    scale: Scale = None,
    ranks: Ranks = None,
    passes: Passes = None,
    seed: Seed = None,
    resume: Resume = False,
    force: Force = False,
    launcher: Launched = "",
    driver: Driver = "",
) -> None:
    """Compare methods of writing and reading: plan, launch, resume, report.

    Each pass runs each method once, in a random order that is recorded. All values are verified, outside of
    the measured time. Without a command the presets are listed, or the one of --preset is run.

    Example: quire bench --preset hyperslabs --directory /scratch/bench

    Example: quire bench run my.toml --directory /scratch/mine --file beam.h5
    """
    if context.invoked_subcommand is not None:
        return
    if preset is None:
        list_presets()
        return
    run(
        None, preset, directory, scale, ranks, passes, seed,
        resume=resume, force=force, launcher=launcher, driver=driver,
    )  # fmt: skip


@command
def list_presets() -> None:
    """Print the presets."""
    from quire.lab.bench.plan import presets
    from quire.lab.query import goals

    for line in columns_of_text([*presets().items(), *goals.presets().items()]):
        say(line)


@bench.command(cls=Command, context_settings=SETTINGS)
@command
def run(
    plan: PlanFile = None,
    preset: PresetName = None,
    directory: Directory = None,
    scale: Scale = None,
    ranks: Ranks = None,
    passes: Passes = None,
    seed: Seed = None,
    operations: Operations = None,
    method: Methods = None,
    target: Targets = None,
    file: OwnFiles = None,
    mode: Mode = None,
    most_bytes: MostBytes = None,
    most_files: MostFiles = None,
    most_seconds: MostSeconds = None,
    results: ResultsFile = None,
    day: Day = None,
    resume: Resume = False,
    force: Force = False,
    launcher: Launched = "",
    driver: Driver = "",
    silence: Silence = 600.0,
    ranks_per_node: RanksPerNode = 0,
    dry: Annotated[bool, typer.Option("--dry-run", help="Only list the cells, in their order.")] = False,
) -> None:
    """Measure a plan or a preset; write the results, a page and a table.

    The exit code is 1 if a method wrote or read wrong values, if a limit ended the run, or if a target was
    missed and no other program kept the machine busy.
    """
    from quire.lab.bench.launch import Launcher
    from quire.lab.query.goals import PRESET

    if preset == PRESET:
        from quire.cli.query_goals import measure_queries

        options = {
            "plan": plan, "directory": directory, "scale": scale, "ranks": ranks, "passes": passes,
            "seed": seed, "operations": operations, "method": method, "target": target, "file": file,
            "mode": mode, "most-bytes": most_bytes, "most-files": most_files, "most-seconds": most_seconds,
            "results": results, "resume": resume, "launcher": launcher, "driver": driver, "dry-run": dry,
        }  # fmt: skip
        measure_queries(options, force)
        return
    limits = {"bytes": most_bytes, "files": most_files, "seconds": most_seconds}
    given = changes(scale, ranks, passes, seed, operations, method, file, mode, limits, target, directory)
    made = plan_of(plan, preset, given)
    if dry:
        list_cells(made)
        return
    if directory is None:
        usage("no directory to measure in: give --directory")
    folder = Path(directory)
    kept = Path(results) if results else folder / "results.jsonl"
    outcome = measure(
        made, folder, kept, Launcher(launcher, driver, silence, ranks_per_node), day, resume, force
    )
    missed = show_report([kept], kept.with_suffix(".html"))
    for wrong in outcome.wrong:
        remark(f"quire: wrong: {wrong}")
    for refused in outcome.refused:
        remark(f"quire: refused: {refused}")
    if outcome.stopped:
        remark(f"quire: {outcome.stopped}; --resume continues")
    answer(not (outcome.wrong or outcome.refused or outcome.stopped or missed))


@bench.command(cls=Command, context_settings=SETTINGS)
@command
def report(
    results: Annotated[
        list[str], typer.Argument(metavar="RESULTS.jsonl...", help="Results of one or more days.")
    ],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="Page to write: report.html. Default: print the table only."),
    ] = None,
    figures: Annotated[
        str | None, typer.Option("--figures", help="Directory for the figures as files.")
    ] = None,
    form: Annotated[str, typer.Option("--form", help="Format of the figures: svg, png or pdf.")] = "svg",
    quantity: Annotated[
        str | None, typer.Option("--quantity", help="Quantity in the figures: time or rate.")
    ] = None,
    read_factor: Annotated[
        float,
        typer.Option("--read-factor", min=0, help="Limit of outliers of reads, in interquartile ranges."),
    ] = 20.0,
    write_factor: Annotated[float, typer.Option("--write-factor", min=0, help="The same for writes.")] = 12.0,
    json: Json = False,
) -> None:
    """Write a page of results, with figures and tables, and print the table.

    Results of several days are pooled. The exit code is 1 if any values were wrong.

    Example: quire bench report monday/results.jsonl friday/results.jsonl -o week.html
    """
    from quire.lab.bench.plan import QUANTITIES
    from quire.lab.bench.records import read_results
    from quire.lab.bench.summary import Rule, Study
    from quire.lab.bench.terminal import as_json, print_study
    from quire.lab.workloads import one_of

    if quantity is not None:
        one_of(quantity, QUANTITIES, "quantity")
    study = Study(read_results(results), Rule(read_factor, write_factor), quantity)
    if output is not None:
        from quire.lab.bench.report import write_page

        write_page(study, Path(output))
    if figures is not None:
        from quire.lab.bench.export import export_figures

        for path in export_figures(study, Path(figures), form):
            remark(str(path))
    if json:
        say_json(as_json(study))
    else:
        print_study(study)
    answer(not study.errors)


@bench.command(cls=Command, context_settings=SETTINGS)
@command
def script(
    plan: PlanFile = None,
    preset: PresetName = None,
    directory: Directory = None,
    scale: Scale = None,
    ranks: Ranks = None,
    passes: Passes = None,
    seed: Seed = None,
    operations: Operations = None,
    method: Methods = None,
    target: Targets = None,
    file: OwnFiles = None,
    mode: Mode = None,
    most_bytes: MostBytes = None,
    most_files: MostFiles = None,
    most_seconds: MostSeconds = None,
    results: ResultsFile = None,
    day: Day = None,
    launcher: Launched = "",
    driver: Driver = "",
    slurm: Annotated[bool, typer.Option("--slurm", help="Print a script for Slurm.")] = False,
    pbs: Annotated[bool, typer.Option("--pbs", help="Print a script for PBS.")] = False,
    ranks_per_node: Annotated[int, typer.Option("--ranks-per-node", min=1, help="Ranks per node.")] = 24,
    hours: Annotated[float, typer.Option("--hours", min=0.01, help="Time limit of the job.")] = 2.0,
) -> None:
    """Print a batch script that runs a plan on a cluster. Nothing is submitted.

    The options of the run are copied into the script.

    Example: quire bench script --preset hyperslabs --scale 1 --ranks 24,48,96 -d /scratch/h --slurm
    """
    from quire.lab.bench.script import Job, batch_script, words_of

    if slurm == pbs:
        usage("no batch system: give --slurm or --pbs")
    if directory is None:
        usage("no directory to measure in: give --directory of the job")
    limits = {"bytes": most_bytes, "files": most_files, "seconds": most_seconds}
    options = changes(scale, ranks, passes, seed, operations, method, file, mode, limits, target)
    made = plan_of(plan, preset, options)
    given = {
        "preset": preset, "directory": directory, "scale": scale, "ranks": ranks, "passes": passes,
        "seed": seed, "operations": operations, "method": method, "target": target,
        "file": file, "mode": mode,
        "most-bytes": most_bytes, "most-files": most_files, "most-seconds": most_seconds,
        "results": results, "day": day, "driver": driver or None,
    }  # fmt: skip
    name = preset or Path(str(plan)).stem
    words = [*([plan] if plan is not None else []), *words_of(given)]
    job = Job(f"quire-{name}", made.world, ranks_per_node, hours, words, launcher)
    sys.stdout.write(batch_script("slurm" if slurm else "pbs", job))


def usage(message: str) -> NoReturn:
    """Independent. Raises UsageError."""
    from quire.errors import UsageError

    raise UsageError(message)


def changes(
    scale: float | None,
    ranks: str | None,
    passes: int | None,
    seed: int | None = None,
    operations: str | None = None,
    methods: list[str] | None = None,
    files: list[str] | None = None,
    mode: str | None = None,
    limits: dict[str, float | None] | None = None,
    targets: list[str] | None = None,
    directory: str | None = None,
) -> Changes:
    """Independent. Return the options that override the plan. Raises UsageError."""
    from quire.lab.bench.plan import Changes
    from quire.lab.bench.targets import place_of_directory

    words = None if ranks is None else ranks.split(",")
    if words is not None and not all(word.strip().isdigit() for word in words):
        usage(f"'{ranks}' is not a list of numbers of ranks; write 1,2,4")
    return Changes(
        scale=scale,
        ranks=None if words is None else [int(word) for word in words],
        passes=passes,
        seed=seed,
        mode=mode,
        operations=None if operations is None else operations.split(","),
        methods=methods or None,
        targets=targets or None,
        place=None if directory is None else place_of_directory(directory),
        limits={key: value for key, value in (limits or {}).items() if value is not None},
        files=files or (),
    )


def plan_of(path: str | None, preset: str | None, given: Changes) -> Plan:
    """Independent. Return the plan of a file or of a preset. Raises UsageError."""
    from quire.lab.bench.plan import make_plan, read_plan, read_preset

    if (path is None) == (preset is None):
        usage("nothing to measure: give a plan, or --preset")
    return make_plan(read_plan(path) if path is not None else read_preset(str(preset)), given)


def list_cells(plan: Plan) -> None:
    """Independent. Print all cells of all passes in their order."""
    for number in range(1, plan.passes + 1):
        for cell in plan.order(number):
            say(f"{number} {cell.id}")


def measure(
    plan: Plan, directory: Path, results: Path, launcher: Launcher, day: str | None, resume: bool, force: bool
) -> Outcome:
    """Independent. Run the cells of a plan that are not done yet, with a progress bar on a terminal."""
    from quire.cli.progress import progress
    from quire.lab.bench.launch import Setting, check_limits, prepare, run, today

    check_limits(plan)
    with progress(plan.title, "cells") as bar:
        done = prepare(plan, directory, results, resume, force)
        bar.expect(plan.passes * len(plan.cells))
        bar.advance(len(done))

        def on_line(line: dict[str, Any]) -> None:
            if line.get("kind") == "repetition":
                bar.advance(1)

        try:
            outcome = run(Setting(plan, directory, results, launcher, day or today(), on_line), done)
        except KeyboardInterrupt:
            remark(f"quire: interrupted; --resume continues {results}")
            raise
    remark(f"{plural(outcome.cells, 'cell')} measured, {len(done)} before; results in {results}")
    return outcome


def show_report(results: list[Path], page: Path) -> bool:
    """Independent. Write the page and print the table. Return whether a target was missed."""
    from quire.lab.bench.findings import findings_of
    from quire.lab.bench.records import read_results
    from quire.lab.bench.report import write_page
    from quire.lab.bench.summary import Study
    from quire.lab.bench.terminal import print_study

    study = Study(read_results(results))
    write_page(study, page)
    print_study(study)
    remark(f"page: {page}")
    return any(finding.missed for finding in findings_of(study.results))
