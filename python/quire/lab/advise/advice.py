"""What is recommended in a situation, as settings with their reasons and as commands."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

from quire.io.formats import Option, common_options, format_info, transports
from quire.lab.advise.rules import Fact, Rule, facts_of, rules
from quire.lab.advise.situation import Situation

MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class Advice:
    """One setting, or a note that sets nothing."""

    target: str
    name: str
    value: str
    reason: str
    basis: str
    source: str


@dataclass(frozen=True)
class Commands:
    """The same settings as one would type them."""

    set_stripes: str = ""
    hints: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    transport: str = ""
    options: dict[str, str] = field(default_factory=dict)

    @property
    def quire(self) -> str:
        """Independent. The transport and options as commands take them."""
        words = ["--transport", self.transport] if self.transport else []
        for name, value in self.options.items():
            words += ["--option", f"{name}={value}"]
        return shlex.join(words)


def options_of(format: str | None) -> dict[str, Option]:
    """Independent. What a writer of this format understands, or of any format. Raises UsageError."""
    found = list(common_options()[1])
    if format is not None:
        found += format_info(format).write_options
    return {option.name: option for option in found}


def is_valid(option: Option | None, value: str) -> bool:
    """Independent. Whether a writer takes this value."""
    return option is not None and (not option.choices or value in option.choices)


def advise(situation: Situation) -> list[Advice]:
    """Independent. The first rule that holds for each thing that can be set here, in the order of the rules.

    Raises UsageError for a format that does not exist.
    """
    facts = facts_of(situation)
    options = options_of(situation.format)
    found: dict[tuple[str, str], Advice] = {}
    for rule in rules():
        key = (rule.target, rule.name)
        if key in found or not rule.holds(facts):
            continue
        if rule.target == "transport" and not may_use(rule, situation):
            continue
        advice = filled(rule, facts)
        if rule.target == "option" and not is_valid(options.get(rule.name), advice.value):
            continue
        found[key] = advice
        if rule.target == "transport":
            facts["transport"] = advice.value
    return [*warnings_of(situation), *found.values()]


def warnings_of(situation: Situation) -> list[Advice]:
    """Independent. The transports that are out of the question here, and what was seen of them."""
    checks = situation.measured.checks if situation.measured is not None else []
    seen = {
        check.subject: f"{check.check}: {check.outcome}{f', {check.detail}' if check.detail else ''}"
        for check in reversed(checks)
        if check.group == "transport" and check.is_bad
    }
    return [
        Advice("note", f"not {name}", "", seen.get(name, "was bad here"), "measured here", "quire doctor")
        for name in sorted(situation.bad_ways)
    ]


def may_use(rule: Rule, situation: Situation) -> bool:
    """Independent. Whether a transport exists in this build and was not found to be bad."""
    return rule.value in transports() and rule.value not in situation.bad_ways


def filled(rule: Rule, facts: dict[str, Fact]) -> Advice:
    """Independent. The rule with the numbers of the situation."""
    value = rule.value.format_map(facts)
    return Advice(rule.target, rule.name, value, rule.reason.format_map(facts), rule.basis, rule.source)


def stripe_text(bytes: int) -> str:
    """Independent. A size as `lfs` takes it."""
    return f"{bytes // MEBIBYTE}M" if bytes % MEBIBYTE == 0 else str(bytes)


def commands_of(situation: Situation, advice: Sequence[Advice]) -> Commands:
    """Independent. The settings as commands and options, without options at their presets."""
    by_target = {
        target: {one.name: one.value for one in advice if one.target == target}
        for target in ("transport", "option", "stripe", "hint", "environment")
    }
    known = options_of(situation.format)
    options = {name: value for name, value in by_target["option"].items() if value != known[name].preset}
    stripes = by_target["stripe"]
    line = ""
    if stripes:
        folder = situation.path if situation.path.is_dir() else situation.path.parent
        size = stripe_text(int(stripes["stripe_size"]))
        line = shlex.join(["lfs", "setstripe", "-c", stripes["stripe_count"], "-S", size, str(folder)])
    return Commands(
        line,
        by_target["hint"],
        by_target["environment"],
        by_target["transport"].get("transport", ""),
        {**options, **stripes},
    )
