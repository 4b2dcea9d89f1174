"""Find a launcher: not every launcher in the PATH belongs to the MPI of this build."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from quire.lab.doctor.known import start_environment
from quire.lab.doctor.launching import Answer, launch
from quire.lab.doctor.record import Finding
from quire.starters import SECONDS_TO_START, Launcher, candidates, many_worlds


class CannotRunError(Exception):
    """No test could run; the reason."""


@dataclass(frozen=True)
class World:
    """The ranks that a launcher starts."""

    launcher: Launcher
    library_text: str
    hosts: list[str]
    transports: list[str]


def find_world(named: str, ranks: int, probe: Path, seconds: float) -> tuple[World, list[Finding]]:
    """Independent. The named launcher, or the first that starts one world of so many ranks, and what is wrong
    with others that a user might type. Raises CannotRunError.
    """
    names = [named] if named else candidates()
    launchers = [one for one in map(Launcher.from_text, names) if one.is_there]
    if ranks == 1 and not named:
        launchers.append(Launcher(()))
    chosen: World | None = None
    failures: dict[str, list[str]] = {}
    for launcher in launchers:
        words = [*launcher.command(ranks), str(probe)]
        limit = min(SECONDS_TO_START, seconds)
        answer = launch(words, "world", {}, environment=start_environment(), seconds=limit)
        worlds = answer.of("world")
        if {int(world[0]) for world in worlds} == {ranks}:
            if chosen is None:
                transports = [fields[0] for fields in answer.of("transport")]
                chosen = World(launcher, worlds[0][1], worlds[0][2].split(","), transports)
            continue
        failures.setdefault(what_failed(answer, ranks, limit), []).append(str(launcher))
    failed = [f"{', '.join(who)}: {what}" for what, who in failures.items()]
    if chosen is None:
        reasons = "; ".join(failed) or f"there is none of {', '.join(names)}"
        raise CannotRunError(f"no launcher starts {ranks} ranks: {reasons}")
    advice = f"start programs by {chosen.launcher}"
    return chosen, [Finding("caution", one, advice, "tried here") for one in failed]


def what_failed(answer: Answer, ranks: int, seconds: float) -> str:
    """Independent. Why the ranks of a launcher are not the requested ones."""
    worlds = answer.of("world")
    if not worlds:
        return f"no ranks start, {how_it_ended(answer, seconds)}"
    sizes = " and ".join(sorted({world[0] for world in worlds}))
    return many_worlds(len(worlds), sizes, ranks, worlds[0][1])


def how_it_ended(answer: Answer, seconds: float) -> str:
    """Independent. In words."""
    if answer.timed_out:
        return f"no end after {seconds:g} s"
    said = " ".join(answer.noise.split())
    return f"ended with {answer.code}" + (f": {said[:300]}" if said else "")
