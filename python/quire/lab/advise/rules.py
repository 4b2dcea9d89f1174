"""Which rules of advice hold in a situation. The rules are data of `rules.toml`; nothing here knows one."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from quire.lab.advise.situation import Situation
from quire.lab.doctor.known import version_findings
from quire.lab.doctor.record import Record
from quire.sizes import size_text

MEBIBYTE = 1 << 20
LEAST_BYTES_A_TARGET = 64 * MEBIBYTE
LARGEST_STRIPE = 1 << 30
MOST_FILES_A_NODE = 4

Fact = str | int | float | bool


@dataclass(frozen=True)
class Rule:
    """One line of advice."""

    target: str
    name: str
    reason: str
    basis: str
    source: str
    value: str = ""
    when: Mapping[str, Any] = field(default_factory=dict)

    def holds(self, facts: Mapping[str, Fact]) -> bool:
        """Independent. Whether all conditions hold; a fact that is not known makes none true."""
        return all(condition_holds(name, wanted, facts) for name, wanted in self.when.items())


def condition_holds(name: str, wanted: Any, facts: Mapping[str, Fact]) -> bool:
    """Independent. Whether one condition holds."""
    if name.endswith(("_min", "_max")):
        number = facts.get(name[:-4])
        if not isinstance(number, int | float):
            return False
        return bool(number >= wanted if name.endswith("_min") else number <= wanted)
    own = facts.get(name)
    return own in wanted if isinstance(wanted, list) else own == wanted


@functools.cache
def rules() -> tuple[Rule, ...]:
    """Independent. All rules, in their order."""
    text = resources.files("quire.lab.advise").joinpath("rules.toml").read_text()
    return tuple(Rule(**one) for one in tomllib.loads(text)["rule"])


def time_text(seconds: float) -> str:
    """Independent. A time for people."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def power_of_two_from(bytes: int) -> int:
    """Independent. The least power of two that is not less."""
    return 1 << max(0, bytes - 1).bit_length()


def facts_of(situation: Situation) -> dict[str, Fact]:
    """Independent. What rules may ask for and say, by name."""
    load = situation.load
    apart = load.columns if situation.arrays_apart is None else situation.arrays_apart
    array = load.bytes // max(1, apart) if load.kind != "streams" else load.bytes
    piece = array // situation.ranks
    stripe_size = min(LARGEST_STRIPE, max(MEBIBYTE, power_of_two_from(piece)))
    files = situation.nodes * min(situation.ranks_per_node, situation.cores, MOST_FILES_A_NODE)
    facts: dict[str, Fact] = {
        "kind": load.kind,
        "bytes": load.bytes,
        "columns": load.columns,
        "array": array,
        "piece": piece,
        "ranks": situation.ranks,
        "nodes": situation.nodes,
        "cores": situation.cores,
        "ranks_per_node": situation.ranks_per_node,
        "bytes_per_rank": situation.bytes_per_rank,
        "crowded": situation.ranks_per_node > situation.cores,
        "storage": situation.storage,
        "file_system": situation.where.type,
        "block_bytes": situation.where.block_bytes,
        "stripe_size": stripe_size,
        "stripes_per_array": array // stripe_size,
        "files_for_speed": files,
        "targets_known": situation.targets is not None,
        "aggregators": min(situation.ranks, situation.targets or situation.nodes),
    }
    now = situation.where.stripe_count
    facts["stripes_now"] = "" if now is None else f". New files here have {'all' if now < 0 else now} now"
    facts["is_file"] = situation.path.is_file()
    if situation.targets is not None:
        facts["targets"] = max(1, min(situation.targets, load.bytes // LEAST_BYTES_A_TARGET))
    texts = {"bytes": load.bytes, "array": array, "piece": piece, "bytes_per_rank": situation.bytes_per_rank}
    facts |= {f"{name}_text": size_text(number) for name, number in texts.items()}
    facts["block_text"] = f"{situation.where.block_bytes} bytes"
    return facts | (measured_facts(situation.measured) if situation.measured is not None else {})


def measured_facts(record: Record) -> dict[str, Fact]:
    """Independent. What a record of doctor adds."""
    facts: dict[str, Fact] = {}
    outcomes = {(check.group, check.outcome) for check in record.checks if check.default}
    locks = {outcome for group, outcome in outcomes if group == "locks"}
    if locks:
        facts["locks"] = "bad" if locks & {"wrong", "unsupported", "hang"} else "right"
    library = {outcome for group, outcome in outcomes if group == "file locking"}
    if library:
        facts["library_locks"] = "bad" if library & {"error", "hang"} else "right"
    known = version_findings(record.mpi_name, record.mpi_version, record.mpi_io)
    facts["ompio_is_bad"] = record.mpi_io == "ompio" and any(one.severity == "unsafe" for one in known)
    if "barrier" in record.costs and "polite_barrier" in record.costs:
        facts["barrier_known"] = True
        facts["barrier_text"] = time_text(record.costs["barrier"].median)
        facts["polite_barrier_text"] = time_text(record.costs["polite_barrier"].median)
    if "fsync" in record.costs:
        facts["fsync_known"] = True
        facts["two_syncs_text"] = time_text(2 * record.costs["fsync"].median)
    return facts
