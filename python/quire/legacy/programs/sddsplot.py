"""sddsplot: specs/sdds-toolkit.md, section 6.3. It draws to a file by `quire plot`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from quire.errors import UsageError
from quire.legacy.equations import filter_condition, match_condition
from quire.legacy.grammar import Option, number, parsed_option, with_words_of_files, without_comments
from quire.legacy.translation import STANDARD, Command
from quire.rpn.tokens import name_text
from quire.toolkit.selection import is_pattern

PROGRAM: Final = "sddsplot"

NAMES: Final = ("columnNames", "parameterNames", "arrayNames")
FURNITURE: Final = (
    "thickness", "tickSettings", "subTickSettings", "grid", "axes", "noBorder", "lSpace", "pSpace",
    "lineTypeDefault", "dateStamp", "filenamesOnTopline", "topTitle", "groupBy",
)  # fmt: skip
"""Options without effect: how axes look, and the order of what is drawn."""
REFUSED: Final = (
    "xScalesGroup", "alignZero", "string", "drawLine", "pointLabel", "noLabels", "noScales",
    "enumeratedScales", "range", "zoom", "limit", "aspectRatio", "factor", "offset", "swap",
    "transpose", "stagger", "sever", "timeFilter", "presparse", "sample", "clip", "define", "fromPage",
    "toPage", "omniPresent", "replicate", "repeat", "tagRequest",
)  # fmt: skip
"""Options without a translation."""

STYLES: Final = {
    "line": "line", "symbol": "points", "dot": "points", "impulse": "impulses", "yimpulse": "impulses",
    "bar": "bars", "ybar": "bars", "errorbar": "points", "continue": "",
}  # fmt: skip
PANELS: Final = {
    "page": "step", "fileIndex": "step", "fileString": "step", "nameIndex": "quantity",
    "nameString": "quantity", "names": "quantity", "": "curve",
}  # fmt: skip
PALETTES: Final = {
    "spectral": "turbo",
    "rspectral": "turbo_r",
    "temperature": "coolwarm",
    "rtemperature": "coolwarm_r",
}
MODES: Final = {
    "normalize": "{y}/max(abs({y}))",
    "offset": "{y} - first({y})",
    "meanCenter": "{y} - mean({y})",
    "center": "{y} - (min({y}) + max({y}))/2",
    "fractionalDeviation": "{y}/mean({y}) - 1",
}
"""What becomes of y."""

DEVICES: Final = {
    "png": ".png", "tpng": ".png", "spng": ".png", "mpng": ".png", "lpng": ".png", "pdf": ".pdf",
    "svg": ".svg", "postscript": ".ps", "cpostscript": ".ps", "eps": ".eps",
}  # fmt: skip
WINDOWS: Final = ("qt", "motif", "x", "mif", "json", "vt100")


@dataclass
class Request:
    """Names with their files."""

    kind: str
    x: str
    ys: list[str]
    errors: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    group: str = ""
    """The scale of y."""
    is_overlay: bool = False
    panel: int = 0


@dataclass
class Plot:
    """What is drawn, and the words that `quire plot` has for it."""

    requests: list[Request] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    transform: str = "{y}"
    is_split: bool = False
    panels: str = ""
    panel: int = 0
    """The number of the panel of the next request."""
    by_name: bool = False
    """Whether each name has its own scale."""
    device: str = ""
    output: str = ""
    labels: list[str] = field(default_factory=list)

    def add_names(self, option: Option) -> None:
        """Independent. Begin a request, or add to one that has no files."""
        if option.keyword == "arrayNames":
            raise option.wrong("arrays are not drawn")
        x, ys = option.item(0, "the name of x"), option.item(1, "the name of y").split(",")
        last = self.requests[-1] if self.requests else None
        if last is None or last.files:
            last = Request(option.keyword, x, [], panel=self.panel)
            self.requests.append(last)
        if (last.kind, last.x) != (option.keyword, x):
            raise option.wrong("one picture has one quantity on the horizontal axis")
        last.ys += ys
        last.errors += [one for text in option.items[2:] for one in text.split(",")]

    def of_request(self, option: Option) -> Request:
        """Independent. Return the request that an option belongs to. Raises UsageError before the first."""
        if not self.requests:
            raise option.wrong("it belongs to names, which are before it")
        return self.requests[-1]

    def merged(self) -> Request:
        """Independent. Return all requests as one: of the same names, or of the same files."""
        drawn = [one for one in self.requests if not one.is_overlay]
        if not drawn:
            raise UsageError("-columnNames=X,Y or -parameterNames=X,Y is needed")
        first = drawn[0]
        alike = [[getattr(one, name) == getattr(first, name) for one in drawn] for name in ("ys", "files")]
        if any((one.kind, one.x) != (first.kind, first.x) for one in drawn) or not any(map(all, alike)):
            raise UsageError(
                "the requests have different names and files: draw them by several calls of sddsplot"
            )
        files = list(dict.fromkeys(file for one in drawn for file in one.files))
        ys = list(dict.fromkeys(y for one in drawn for y in one.ys))
        if not files:
            raise UsageError("the input is missing: give a file, or -pipe=in")
        if drawn[-1].panel > first.panel and not self.panels:
            self.panels = "quantity" if all(alike[1]) else "step"
            curves = [one for one in drawn for _ in one.ys] if self.panels == "quantity" else drawn
            has_pattern = self.panels == "quantity" and any(map(is_pattern, ys))
            if has_pattern or len({one.panel for one in curves}) < len(curves):
                raise UsageError(
                    "-endPanel: a panel would have several curves, and panels here have one: "
                    "draw the panels by several calls of sddsplot"
                )
        return Request(first.kind, first.x, ys, [error for one in drawn for error in one.errors], files)

    def right(self, whole: Request) -> list[str]:
        """Independent. Return the names on a second axis. Raises UsageError for more axes."""
        groups = [one.group for one in self.requests if not one.is_overlay]
        if self.by_name and len(whole.ys) > 1:
            scales = [[one] for one in whole.ys]
        else:
            scales = [
                [y for one in self.requests if one.group == group and not one.is_overlay for y in one.ys]
                for group in dict.fromkeys(groups)
            ]
        if len(scales) > 2:
            raise UsageError("a picture has two vertical axes, and not more: use -separate")
        return scales[1] if len(scales) == 2 else []

    def command(self) -> tuple[str, ...]:
        """Independent. Return the words of the command."""
        whole = self.merged()
        right = self.right(whole)
        left = [y for y in whole.ys if y not in right]
        words = ["plot", *whole.files]
        words += ["--attributes" if whole.kind == "parameterNames" else "-y", self.terms(left), "-x", whole.x]
        words += ["--y2", self.terms(right)] if right else []
        words += ["--error", ",".join(whole.errors)] if whole.errors else []
        words += ["--joined"] if not self.is_split and whole.kind == "columnNames" else []
        words += ["--panels", self.panels] if self.panels else []
        words += ["--labels", ",".join(self.labels)] if self.labels else []
        words += ["--where", " and ".join(f"({one})" for one in self.conditions)] if self.conditions else []
        for one in self.requests:
            words += ["--magnets", one.files[0]] if one.is_overlay else []
        return (*words, *self.words, "-o", self.target(), "--overwrite")

    def terms(self, names: Sequence[str]) -> str:
        """Independent. Return what is drawn of names."""
        if self.transform == "{y}":
            return ",".join(names)
        return ",".join(self.transform.format(y=name_text(name)) for name in names)

    def target(self) -> str:
        """Independent. Return the picture. Raises UsageError without one: there is no display."""
        if self.device in WINDOWS or not self.output:
            raise UsageError("there is no display to draw on: give -device=png and -output=FILE.png")
        suffix, wanted = Path(self.output).suffix, DEVICES.get(self.device, "")
        known = {*DEVICES.values()}
        if suffix not in known or (wanted and suffix != wanted and {suffix, wanted} != {".ps", ".eps"}):
            shown = wanted or ", ".join(sorted(known))
            raise UsageError(f"the suffix of the output '{self.output}' is not {shown}")
        return self.output


def names_of(option: Option, plot: Plot) -> None:
    """Independent. Begin a request."""
    plot.add_names(option)


def graphic(option: Option, plot: Plot) -> None:
    """Independent. Set the style."""
    style = STYLES[option.choice(0, list(STYLES), "graphic")]
    is_connected = any(option.is_one(item.partition("=")[0], ("connect",)) for item in option.items[1:])
    style = "both" if is_connected and style == "points" else style
    given = plot.words.index("--style") if "--style" in plot.words else -1
    if given >= 0 and plot.words[given + 1] != style:
        raise option.wrong("one picture has one style of curves")
    plot.words += ["--style", style] if style and given < 0 else []


def legend(option: Option, plot: Plot) -> None:
    """Independent. Take the texts of a legend; others are those of Quire."""
    plot.labels += [item.partition("=")[2] for item in option.items if item.startswith("spec")]


def split(option: Option, plot: Plot) -> None:
    """Independent. Draw a curve for each page."""
    option.choice(0, ("page",), "split")
    plot.is_split = True


def separate(option: Option, plot: Plot) -> None:
    """Independent. Draw panels."""
    word = option.items[0].partition("=")[0] if option.items else ""
    plot.panels = PANELS[option.resolved(word, [one for one in PANELS if one], "separation") if word else ""]


def layout(option: Option, plot: Plot) -> None:
    """Independent. Set the numbers of columns and rows of panels."""
    plot.words += ["--layout", f"{option.item(0, 'the number of columns')}x{option.item(1, 'of rows')}"]


def share(option: Option, plot: Plot) -> None:
    """Independent. Share axes between panels."""
    axes = "".join(axis for axis in "xy" if axis in option.items) or "xy"
    given = plot.words.index("--share") + 1 if "--share" in plot.words else 0
    if given:
        plot.words[given] = "".join(sorted({*plot.words[given], *axes}))
    else:
        plot.words += ["--share", axes]


def mode(option: Option, plot: Plot) -> None:
    """Independent. Set logarithmic axes, and what becomes of y."""
    logarithmic = ""
    for item in option.items:
        axis, _, word = item.partition("=")
        found = option.resolved(word, ("linear", "logarithmic", "specialscales", *MODES), "mode")
        if axis not in ("x", "y") or (axis == "x" and found in MODES):
            raise option.wrong(f"'{item}' is not translated")
        logarithmic += axis if found == "logarithmic" else ""
        plot.transform = MODES.get(found, plot.transform)
    plot.words += ["--log", logarithmic] if logarithmic else []


def scales(option: Option, plot: Plot) -> None:
    """Independent. Set the limits of axes; two equal ones are those of the data."""
    for place, axis in ((0, "x"), (2, "y")):
        low, high = (option.item(place + one, "a limit") for one in (0, 1))
        if number(low, option) != number(high, option):
            plot.words += [f"--{axis}-range={low}:{high}"]


def zero(option: Option, plot: Plot) -> None:
    """Independent. Let axes contain zero, by default both."""
    plot.words += ["--zero", "".join(axis for axis in "xy" if axis in option.items) or "xy"]


def own_scale(option: Option, plot: Plot) -> None:
    """Independent. Give names or requests scales of their own."""
    word, _, value = option.item(0, "a group").partition("=")
    if option.resolved(word, ("id", "nameString", "nameIndex", "names"), "group") == "id":
        plot.of_request(option).group = value
    else:
        plot.by_name = True


def overlay(option: Option, plot: Plot) -> None:
    """Independent. Draw the outline of magnets."""
    request = plot.of_request(option)
    if (request.x, request.ys) != ("s", ["Profile"]):
        raise option.wrong("only s and Profile, the outline of magnets, are drawn so")
    request.is_overlay = True


def text_for(name: str) -> Callable[[Option, Plot], None]:
    """Independent. Return what sets a text."""

    def set_text(option: Option, plot: Plot) -> None:
        text = option.items[0] if option.items else ""
        if text.startswith("@") or any(one.startswith("edit") for one in option.items):
            raise option.wrong("the text of a parameter is not translated")
        plot.words += [f"{name}={text}"] if text else []

    return set_text


def order(option: Option, plot: Plot) -> None:
    """Independent. Set the colours of the curves."""
    plot.words += ["--palette", PALETTES[option.choice(0, list(PALETTES), "order")]]


def winnow(option: Option, plot: Plot) -> None:
    """Independent. Select rows."""
    if option.choice(0, ("column", "parameter"), "kind of element") != "column":
        raise option.wrong("only rows are selected")
    plot.conditions.append(
        filter_condition(option) if option.keyword == "filter" else match_condition(option)
    )


def sparse(option: Option, plot: Plot) -> None:
    """Independent. Draw every n-th row."""
    plot.conditions.append(f"row % {option.item(0, 'the interval')} == 0")


def device(option: Option, plot: Plot) -> None:
    """Independent. Set the kind of picture."""
    plot.device = option.choice(0, (*DEVICES, *WINDOWS), "device")


def output(option: Option, plot: Plot) -> None:
    """Independent. Set the name of the picture."""
    plot.output = option.item(0, "the name of the picture")


def end_panel(option: Option, plot: Plot) -> None:
    """Independent. Let the next request have another panel."""
    plot.panel += 1


KNOWN: Final[Mapping[str, Callable[[Option, Plot], None]]] = {
    **dict.fromkeys(NAMES, names_of),
    "graphic": graphic,
    "legend": legend,
    "split": split,
    "separate": separate,
    "layout": layout,
    "joinScales": share,
    "sameScale": share,
    "mode": mode,
    "scales": scales,
    "unsuppressZero": zero,
    "yScalesGroup": own_scale,
    "overlay": overlay,
    "title": text_for("--title"),
    "topline": text_for("--subtitle"),
    "xLabel": text_for("--x-label"),
    "yLabel": text_for("--y-label"),
    "order": order,
    "filter": winnow,
    "match": winnow,
    "sparse": sparse,
    "device": device,
    "output": output,
    "endPanel": end_panel,
    "newPanel": end_panel,
}


def translate(words: Sequence[str]) -> Command:
    """Independent. Translate the arguments of the program."""
    plot = Plot(device=os.environ.get("SDDS_DEVICE", ""))
    for word in with_words_of_files(without_comments(words)):
        if not word.startswith("-") or word == STANDARD:
            add_file(word, plot)
            continue
        option = parsed_option(word, (*KNOWN, *FURNITURE, *REFUSED, "pipe"), PROGRAM)
        if option.keyword in REFUSED:
            raise option.wrong("it is not translated")
        if option.keyword == "pipe":
            add_file(STANDARD, plot)
        elif option.keyword in KNOWN:
            KNOWN[option.keyword](option, plot)
    return Command(PROGRAM, plot.command())


def add_file(path: str, plot: Plot) -> None:
    """Independent. Add a file to the last request. Raises UsageError before the first."""
    if not plot.requests:
        raise UsageError(f"names are missing before the file {path}: give -columnNames=X,Y")
    plot.requests[-1].files.append(path)
