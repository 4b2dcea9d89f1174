"""sddsfft: specs/sdds-toolkit.md, section 7.6."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from quire.legacy.acts.spectra import transform
from quire.legacy.acts.verbs import Names
from quire.legacy.grammar import CommandLine, parse
from quire.legacy.patterns import is_pattern
from quire.legacy.programs.common import major_order
from quire.legacy.running import writing
from quire.legacy.translation import Act, Translation

PROGRAM: Final = "sddsfft"

REFUSED: Final = ("normalize", "complexInput", "inverse", "sampleInterval", "exclude")

OPTIONS: Final = (
    "columns", "window", "psdOutput", "fullOutput", "padWithZeroes", "truncate", "suppressAverage", *REFUSED,
    "noWarnings", "majorOrder", "threads",
)  # fmt: skip

WINDOWS: Final = {
    "hann": "hann", "hanning": "hann", "hamming": "hamming", "parzen": "parzen", "welch": "welch",
    "flattop": "flat_top", "gaussian": "gaussian", "none": "none",
}  # fmt: skip

NAMES: Final = {
    "amplitude": "FFT*", "real": "RealFFT*", "imaginary": "ImagFFT*", "phase": "ArgFFT*",
    "unwrapped_phase": "UnwrapArgFFT*", "density": "PSD*", "power": "IntegPSD*", "power_above": "IntegPSD*",
}  # fmt: skip
"""Old names of results of the verb `fft`, of which a star is the column."""

MANNERS: Final = ("plain", "integrated", "rintegrated")

NOTE: Final = "the parameters fftFrequencies, fftFrequencySpacing and SpectrumFolded are left out"


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    line.refuse(REFUSED)
    option = line.required("columns")
    time, columns = option.item(0, "the column of times"), option.items[1:]
    if not columns:
        raise option.wrong("the columns to transform are missing")
    found, integral = results(line)
    how = preparation(line)
    keywords = {"versus": time, "results": found, **how}
    given = ["--versus", time, "--results", ",".join(found)]
    given += ["--window", how["window"]] if "window" in how else []
    given += [f"--{one.replace('_', '-')}" for one in ("correct", "remove_mean") if one in how]
    given += [f"--{how['length']}"] if "length" in how else []
    longest_first = sorted(found, key=len, reverse=True)  # y_unwrapped_phase also ends in _phase
    of_columns = {
        f"{column}_{one}": (NAMES[one].replace("*", column),)
        for column in (["*"] if any(map(is_pattern, columns)) else columns)
        for one in longest_first
    }
    names = Names({"frequency": ("f",)} | of_columns)
    new = () if integral else ("fft", ",".join(columns), *given, *names.words)
    act = Act(transform, (columns, keywords, names, bool(integral)), words=new, note=NOTE)
    source, end = writing(line, {"mode": "binary"} | major_order(line))
    return Translation(PROGRAM, source, [act], end)


def results(line: CommandLine) -> tuple[list[str], str]:
    """Independent. Return the results of the verb, and the one that is an integrated density, if wanted."""
    found = ["amplitude"]
    if option := line.last("fullOutput"):
        if option.items and option.items != ("folded",):
            raise option.wrong("an argument is not translated")
        found += ["real", "imaginary", "phase", "unwrapped_phase"]
    integral = ""
    if option := line.last("psdOutput"):
        found.append("density")
        manners = {option.resolved(item, MANNERS, "manner") for item in option.items}
        if {"integrated", "rintegrated"} <= manners:
            raise option.wrong("choose one of integrated and rintegrated")
        integral = "power_above" if "rintegrated" in manners else "power" if "integrated" in manners else ""
        found += [integral] if integral else []
    return found, integral


def preparation(line: CommandLine) -> dict[str, Any]:
    """Independent. Return what is done with values before the transform."""
    how: dict[str, Any] = {}
    if option := line.last("window"):
        how["window"] = "hann"
        for item in option.items:
            if option.is_one(item, ("correct",)):
                how["correct"] = True
            else:
                how["window"] = WINDOWS[option.resolved(item, list(WINDOWS), "window")]
    lengths = {"padWithZeroes": "pad", "truncate": "truncate"}
    chosen = [one for one in lengths if line.last(one)]
    if len(chosen) > 1:
        raise line.required(chosen[1]).wrong(f"it excludes -{chosen[0]}")
    how |= {"length": lengths[chosen[0]]} if chosen else {}
    return how | ({"remove_mean": True} if line.last("suppressAverage") else {})
