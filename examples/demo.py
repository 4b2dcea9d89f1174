"""A complete example of Quire on this machine, which prints what it does.

    make demo            (or, once it is built, examples/demo.sh)

Four ranks track a bunch and write it in every format; three ranks, the first one empty, continue from the
middle; the end is the same to the last bit. Readers that are not ours read the files, conversion goes there
and back, files of other programs are inspected, pictures are drawn, and a table says how fast all this was.
Files go to demo/.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import quire
from quire.io.formats import format_infos

ROOT = Path(__file__).resolve().parent.parent
PRESET = os.environ.get("QUIRE_PRESET", "mpich")
BUILD = ROOT / "build" / PRESET / "examples"
LAUNCHER = "mpiexec.openmpi" if PRESET == "openmpi" else "mpiexec.mpich"
OUTPUT = Path("demo")
STEP_SECONDS = 240  # no command may take longer
WIDTH = 140  # of repeated lines
REPEATS = 3  # of each measurement


@dataclass(frozen=True)
class Format:
    """A format of this build, as `quire formats` lists it."""

    name: str
    suffix: str

    def file(self, stem: str) -> str:
        """Return the path of a file in the folder of the demonstration."""
        return str(OUTPUT / f"{stem}{self.suffix}")


@dataclass
class Stage:
    """Talks to the audience, runs commands, and counts what was promised and held."""

    started: float = field(default_factory=time.monotonic)
    chapters: int = 0
    held: int = 0
    broken: list[str] = field(default_factory=list)

    def chapter(self, title: str) -> None:
        """Begin a chapter."""
        self.chapters += 1
        self.say(f"\n{self.chapters}. {title}   [{time.monotonic() - self.started:.0f} s]")

    def say(self, text: str) -> None:
        """Print a line at once."""
        print(text, flush=True)

    def run(
        self,
        *command: str,
        ranks: int = 0,
        shown: int = 40,
        environment: dict[str, str] | None = None,
    ) -> str:
        """Run a command, under MPI if it has ranks; return what it printed; repeat `shown` lines of it.

        A command that fails breaks a promise.
        """
        words = [*self.launcher(ranks), *command]
        line = shlex.join(short(word) for word in words)
        self.say(f"   $ {line}")
        done = subprocess.run(
            words,
            cwd=ROOT,
            env=os.environ | (environment or {}),
            capture_output=True,
            text=True,
            timeout=STEP_SECONDS,
            check=False,
        )
        self.repeat((done.stdout + done.stderr).splitlines(), 40 if done.returncode != 0 else shown)
        self.promise(f"this ends well: {line}", done.returncode == 0, quiet=True)
        return done.stdout

    def repeat(self, lines: list[str], shown: int) -> None:
        """Repeat the first lines that a command has printed."""
        for line in lines[:shown]:
            self.say(f"     {line[:WIDTH]}{' ...' if len(line) > WIDTH else ''}")
        if 0 < shown < len(lines):
            self.say(f"     ... and {len(lines) - shown} more lines")

    def expect_same(self, *arguments: str) -> None:
        """Run `quire diff`, which says nothing and leaves with 0 if two files are the same."""
        failures = len(self.broken)
        self.run("quire", "diff", *arguments)
        self.promise("no difference", len(self.broken) == failures)

    def launcher(self, ranks: int) -> list[str]:
        """Return the words that start a program on several ranks."""
        if ranks == 0:
            return []
        oversubscribe = ["--oversubscribe", "--allow-run-as-root"] if PRESET == "openmpi" else []
        return [LAUNCHER, *oversubscribe, "-n", str(ranks)]

    def promise(self, what: str, kept: bool, quiet: bool = False) -> None:
        """Say whether a promise was kept."""
        if kept:
            self.held += 1
        else:
            self.broken.append(what)
        if not kept or not quiet:
            self.say(f"   {'OK' if kept else 'FAILED'}: {what}")

    def end(self) -> int:
        """Say the verdict; return the exit code."""
        seconds = time.monotonic() - self.started
        if self.broken:
            self.say(f"\n{len(self.broken)} promises were broken after {seconds:.0f} s:")
            for what in self.broken:
                self.say(f"   {what}")
            return 1
        self.say(
            f"\nAll {self.held} checks passed in {seconds:.0f} s. The files and pictures are in {OUTPUT}/."
        )
        return 0


def short(word: str) -> str:
    """Return a word of a command line as a reader wants to see it: without the path of this checkout."""
    return word.replace(f"{ROOT}/", "").replace(f"{Path(sys.executable).parent}/", "")


def program(name: str) -> str:
    """Return the path of an example."""
    return str(BUILD / name / name)


def known_formats() -> list[Format]:
    """Return the formats of this build that hold the steps of a run."""
    infos = format_infos()
    return [Format(one.name, one.suffixes[0]) for one in infos if not one.one_step]


def track(stage: Stage, formats: list[Format], particles: int) -> None:
    """Write the runs that everything else is about."""
    stage.chapter(
        f"Four ranks track {particles} particles through 30 cells and write every tenth, in each format"
    )
    for one in formats:
        arguments = [
            "--particles",
            str(particles),
            "--cells",
            "30",
            "--every",
            "10",
            "--output",
            one.file("beam"),
        ]
        stage.run(program("fodo"), *arguments, ranks=4, environment={"QUIRE_TRACE": "1"})
    stage.say("   A smaller bunch, written after every cell, for the pictures and for viewers:")
    for one in formats:
        arguments = ["--particles", "20000", "--cells", "60", "--every", "1", "--output", one.file("channel")]
        stage.run(program("fodo"), *arguments, ranks=2, shown=0)


def restart(stage: Stage, formats: list[Format]) -> None:
    """Continue from the middle in another format on other ranks, and compare."""
    stage.chapter("Three ranks, the first without particles, continue from cell 10 and write the next format")
    for index, one in enumerate(formats):
        other = formats[(index + 1) % len(formats)]
        continued = other.file(f"continued-from-{one.name}")
        arguments = ["--restart-from", one.file("beam"), "--restart-step", "10", "--root-empty"]
        stage.run(
            program("fodo"), *arguments, "--cells", "30", "--every", "10", "--output", continued, ranks=3
        )
        stage.expect_same("--steps", "20,30", one.file("beam"), continued)
        sums = stage.run("quire", "sum", "--steps", "30", one.file("beam"), continued).split()
        same = len(sums) == 4 and sums[0] == sums[2]
        stage.promise("the restarted run ends with the same bits as the uninterrupted one", same)


def recompute(stage: Stage, formats: list[Format]) -> None:
    """Check the attributes from Python."""
    stage.chapter("Python reads the particles and recomputes the moments that the simulation wrote")
    stage.run(sys.executable, "examples/fodo_moments.py", "--last", *(one.file("beam") for one in formats))


def digests(path: str) -> tuple[int, int, dict[str, str]]:
    """Return steps, rows of the last one and the SHA-256 of its columns, by our own reader."""
    with quire.open(path) as file:
        columns = file[-1].table.read()
        rows = len(file[-1].table)
        found = {name: hashlib.sha256(values.tobytes()).hexdigest() for name, values in columns.items()}
        return len(file), rows, found


def cross_read(stage: Stage, formats: list[Format]) -> None:
    """Let the field's own software read what we wrote."""
    stage.chapter("Readers that are not ours find the same numbers")
    for one in formats:
        for peer in sorted((ROOT / "examples/peers").glob(f"{one.name}_by_*.py")):
            software = peer.stem.split("_by_")[1]
            folder = Path(sys.prefix) / "peers" / software
            environment = {"PYTHONPATH": str(folder)} if folder.is_dir() else {}
            for path in (one.file("channel"), one.file("beam")):
                answer = stage.run(sys.executable, str(peer), path, shown=0, environment=environment)
                compare_with_peer(stage, path, json.loads(answer or "{}"))


def compare_with_peer(stage: Stage, path: str, answer: dict[str, object]) -> None:
    """Compare the answer of another reader with our own."""
    if "skipped" in answer:
        stage.say(f"   {answer['reader']} does not read {path}: {answer['skipped']}")
        return
    steps, rows, ours = digests(path)
    same = (answer.get("steps"), answer.get("rows"), answer.get("digests")) == (steps, rows, ours)
    reader = answer.get("reader", "the reader")
    stage.promise(
        f"{reader} reads {path}: {steps} steps, all {len(ours)} columns of the last one equal", same
    )


def convert(stage: Stage, formats: list[Format]) -> None:
    """Convert there and back."""
    stage.chapter("Conversion to every other format and back keeps every number, name and unit")
    for one in formats:
        for other in (format for format in formats if format != one):
            there = other.file(f"{one.name}-converted")
            back = one.file(f"{one.name}-and-back")
            stage.run("quire", "convert", "--overwrite", one.file("beam"), there, ranks=2)
            stage.run("quire", "convert", "--overwrite", there, back, ranks=2)
            stage.expect_same(one.file("beam"), there)
            stage.expect_same("--types", one.file("beam"), back)
            for path in (there, back):
                (ROOT / path).unlink(missing_ok=True)


def foreign(stage: Stage, formats: list[Format]) -> None:
    """Inspect and convert files of the reference programs."""
    stage.chapter("Files that the reference programs wrote are inspected and converted")
    for line in (ROOT / "examples/foreign-files.txt").read_text().splitlines():
        path, _, origin = line.partition(" ")
        if not path or path.startswith("#"):
            continue
        stage.say(f"   {path}: written by {origin.strip()}")
        stage.run("quire", "info", path, shown=12)
        with quire.open(path) as file:
            own = file.format
        for other in (format for format in formats if format.name != own):
            target = other.file(Path(path).stem)
            stage.run("quire", "convert", "--overwrite", path, target)
            stage.expect_same("--no-attributes", path, target)


def draw(stage: Stage, formats: list[Format]) -> None:
    """Draw the phase space and the sizes along the channel."""
    stage.chapter("Pictures")
    beam, channel = formats[0].file("beam"), formats[-1].file("channel")
    phase_space = ["--histogram", "x,px", "--bins", "200x200", "--steps", "30"]
    sizes = ["-x", "s", "--attributes", "Sx,Sy"]
    for source, options, picture in ((beam, phase_space, "phase-space"), (channel, sizes, "beam-sizes")):
        stage.run("quire", "plot", "--overwrite", source, *options, "-o", str(OUTPUT / f"{picture}.png"))
    photograph(stage, beam, OUTPUT / "viewer.png")


def photograph(stage: Stage, path: str, picture: Path) -> None:
    """Save a picture of the page of `quire view`, if there is a browser for it, as for the tests."""
    browser = shutil.which("chromium")
    if browser is None or find_spec("playwright") is None:
        stage.say("   (without chromium and playwright there is no picture of the viewer)")
        return
    from playwright.sync_api import sync_playwright

    stage.say(f"   {picture} is the page of: quire view {path}")
    page = quire.view(ROOT / path)
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu"]
        opened = playwright.chromium.launch(executable_path=browser, args=arguments)
        tab = opened.new_page(viewport={"width": 1280, "height": 720})
        tab.goto(f"{page.address}#step=30")
        tab.wait_for_selector("body[data-ready=yes]")
        tab.screenshot(path=ROOT / picture)
        is_shown = tab.is_hidden("#alert")
        opened.close()
    page.stop()
    stage.promise(f"the viewer shows {path}", is_shown, quiet=True)


def measure(stage: Stage, formats: list[Format], particles: int) -> None:
    """Print the closing table."""
    stage.chapter(
        "How fast: MB/s on two ranks, and the share of raw writes and reads of as many bytes in the same run"
    )
    lines = [("file", "format", "transport", "MB", "write", "of raw", "read", "of raw")]
    for one in formats:
        for transport in quire.io.formats.transports():
            path = one.file("speed")
            arguments = ["--rows", str(particles), "--steps", "2", "--output", path, "--transport", transport]
            arguments += ["--repeats", str(REPEATS)]
            answer = stage.run(program("speed"), *arguments, ranks=2, shown=0)
            (ROOT / path).unlink(missing_ok=True)
            speed = json.loads(answer or "{}")
            if speed:
                shares = [f"{100 * speed[way] / speed[f'raw_{way}']:.0f} %" for way in ("write", "read")]
                sizes = [f"{speed[key]:.0f}" for key in ("megabytes", "write", "read")]
                lines.append((path, one.name, transport, sizes[0], sizes[1], shares[0], sizes[2], shares[1]))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        cells = [
            cell.ljust(width) if i < 3 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        stage.say("   " + "  ".join(cells))
    stage.say(f"   Medians of {REPEATS} repeats, through the page cache; `make bench` measures.")


def main() -> int:
    """Show everything; 0 if all promises were kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--particles", type=int, default=1_000_000, help="in the bunch (default: %(default)s)"
    )
    particles = parser.parse_args().particles
    if not Path(program("fodo")).exists():
        print(
            f"demo: {short(program('fodo'))} is not built; it needs a preset with MPI: make demo",
            file=sys.stderr,
        )
        return 1
    (ROOT / OUTPUT).mkdir(exist_ok=True)
    os.chdir(ROOT)
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    stage = Stage()
    formats = known_formats()
    stage.say("Quire writes and reads the data of particle codes in these formats:")
    for one in formats:
        stage.say(f"   {one.name} ({one.suffix})")
    track(stage, formats, particles)
    restart(stage, formats)
    recompute(stage, formats)
    cross_read(stage, formats)
    convert(stage, formats)
    foreign(stage, formats)
    draw(stage, formats)
    measure(stage, formats, particles)
    return stage.end()


if __name__ == "__main__":
    sys.exit(main())
