"""sddsplot: specs/sdds-toolkit.md, section 6.3. It draws to a file by `quire plot`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from quire.errors import UsageError
from quire.legacy.equations import filter_condition, match_condition
from quire.legacy.grammar import Option, integer, number, parsed_option, with_words_of_files, without_comments
from quire.legacy.steps import NUMBER, NUMBERED, STEP, is_attribute
from quire.legacy.translation import STANDARD, Command
from quire.rpn.tokens import name_text

PROGRAM: Final = "sddsplot"

NAMES: Final = ("columnNames", "parameterNames", "arrayNames")
FURNITURE: Final = (
    "thickness", "tickSettings", "subTickSettings", "grid", "axes", "noBorder", "lSpace", "pSpace",
    "lineTypeDefault", "dateStamp", "filenamesOnTopline", "topTitle",
)  # fmt: skip
"""Options without effect: how axes look."""
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

TEXTS: Final = ("scale", "edit", "units")
"""Qualifiers after a text, whose commas are written with a backslash."""
LEGENDS: Final = (
    "xSymbol", "ySymbol", "xName", "yName", "filename", "specified", "parameter", "edit", "scale",
)  # fmt: skip
"""What a legend may show, and its qualifiers."""
OF_TEXT: Final = ("specified", "parameter")
"""What a legend shows by a text that is given."""
ORDERS: Final = {
    "fileIndex": "files", "fileString": "files", "page": "pages", "nameIndex": "names",
    "nameString": "names", "request": "", "tag": "tags", "subpage": "subpages",
}  # fmt: skip
"""What -groupBy puts in order; requests differ in files or names."""
DEVICES: Final = {
    "png": ".png", "tpng": ".png", "spng": ".png", "mpng": ".png", "lpng": ".png", "pdf": ".pdf",
    "svg": ".svg", "postscript": ".ps", "cpostscript": ".ps", "eps": ".eps",
}  # fmt: skip
WINDOWS: Final = ("qt", "motif", "x", "mif", "json", "vt100")


@dataclass
class Request:
    """Names with their files, and what options after them say; options before all names are those of each."""

    kind: str = ""
    x: str = ""
    ys: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    group: str = ""
    """The scale of y."""
    is_overlay: bool = False
    panel: int = 0
    style: str = ""
    legend: str = ""
    """What the legend shows, one of LEGENDS; empty: the symbol of y, or its name."""
    text: str = ""
    """The text of the legend, or the name of a parameter."""
    conditions: tuple[str, ...] = ()
    transform: str = "{y}"
    is_split: bool = False

    def terms(self) -> list[str]:
        """Independent. Return what is drawn."""
        if self.transform == "{y}":
            return self.ys
        return [self.transform.format(y=name_text(name)) for name in self.ys]

    def label(self, file: str, term: str) -> str:
        """Independent. Return what the legend shows of a term; empty if that is what Quire shows."""
        y = self.ys[self.terms().index(term)]
        if self.legend == "yName" and not y.isidentifier() and set(y) & set("*?["):
            raise UsageError(f"-legend=yName: '{y}' names several columns")
        shown = {"specified": self.text, "yName": y, "xName": self.x, "filename": file}
        return shown.get(self.legend, "")


@dataclass
class Plot:
    """What is drawn, and the words that `quire plot` has for it."""

    usual: Request = field(default_factory=Request)
    """What options before all names say."""
    requests: list[Request] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    panels: str = ""
    panel: int = 0
    """The number of the panel of the next request."""
    by_name: bool = False
    """Whether each name has its own scale."""
    device: str = ""
    output: str = ""
    order: Option | None = None
    """The option -groupBy."""

    @property
    def present(self) -> Request:
        """What an option belongs to."""
        return self.requests[-1] if self.requests else self.usual

    @property
    def drawn(self) -> list[Request]:
        """The requests of curves."""
        return [one for one in self.requests if not one.is_overlay]

    def add_names(self, option: Option) -> None:
        """Independent. Begin a request, or add to one that has no files."""
        if option.keyword == "arrayNames":
            raise option.wrong("arrays are not drawn")
        x, ys = option.item(0, "the name of x"), option.item(1, "the name of y").split(",")
        last = self.requests[-1] if self.requests else None
        if last is None or last.files:
            last = replace(self.usual, kind=option.keyword, x=x, ys=[], errors=[], files=[], panel=self.panel)
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

    def checked(self) -> list[Request]:
        """Independent. Return the requests of curves: of the same names, or of the same files.

        Raises UsageError for those that one command does not draw.
        """
        drawn = self.drawn
        if not drawn:
            raise UsageError("-columnNames=X,Y or -parameterNames=X,Y is needed")
        if not any(one.files for one in drawn):
            raise UsageError("the input is missing: give a file, or -pipe=in")
        several = "draw them by several calls of sddsplot"
        for what, names in (("names and files", ("kind", "x")), ("rows", ("conditions", "is_split"))):
            if any(getattr(one, name) != getattr(drawn[0], name) for one in drawn for name in names):
                raise UsageError(f"the requests have different {what}: {several}")
        if not self.has_same_files and len({one.group for one in drawn}) > 1:
            raise UsageError(f"files have different vertical axes: {several}")
        if not self.has_same_files and not all(one.terms() == drawn[0].terms() for one in drawn):
            raise UsageError(f"the requests have different names and files: {several}")
        if self.has_panels and not self.has_same_files and len({one.panel for one in drawn}) < len(drawn):
            raise UsageError(f"-endPanel: of several files each has one panel: {several}")
        terms = [term for one in drawn for term in one.terms()]
        if self.has_same_files and len(set(terms)) < len(terms):
            raise UsageError(f"the requests draw the same twice: {several}")
        return drawn

    @property
    def files(self) -> list[str]:
        """The files of curves, each once."""
        return list(dict.fromkeys(file for one in self.drawn for file in one.files))

    @property
    def has_same_files(self) -> bool:
        """Whether all requests are of the same files."""
        return all(one.files == self.drawn[0].files for one in self.drawn)

    @property
    def has_panels(self) -> bool:
        """Whether requests are in several panels."""
        return not self.panels and self.drawn[-1].panel > self.drawn[0].panel

    def check_order(self) -> None:
        """Independent. Raise UsageError if -groupBy puts curves in another order than Quire, which has those
        of a file together, of these those of a page, and of these all names; in panels of names those first.
        """
        if self.order is None:
            return
        files, names = self.files, list(dict.fromkeys(name for one in self.drawn for name in one.ys))
        varying = {"files": len(files) > 1, "pages": self.drawn[0].is_split, "names": len(names) > 1}
        usual = ["names", "files", "pages"] if self.panels == "quantity" else [*varying]
        wanted = []
        for item in self.order.items:
            key = self.order.resolved(item, tuple(ORDERS), "order")
            kind = ORDERS[key] or ("names" if self.has_same_files else "files")
            if kind not in varying:
                raise self.order.wrong(f"the order of {kind} is not translated")
            given = {"files": files, "names": names}.get(kind, [])
            if key.endswith("String") and given != sorted(given):
                raise self.order.wrong(f"give the {kind} in alphabetic order: {', '.join(sorted(given))}")
            wanted += [kind] if varying[kind] and kind not in wanted else []
        if wanted != [kind for kind in usual if varying[kind]][: len(wanted)]:
            known = ", then ".join(kind for kind in usual if varying[kind])
            several = "draw them by several calls of sddsplot"
            raise self.order.wrong(f"curves are in the order of {known}: {several}")

    def axes(self, requests: Sequence[Request]) -> list[list[str]]:
        """Independent. Return the terms on the first and the second vertical axis. Raises UsageError for
        more axes.
        """
        terms = [(one.group, term) for one in requests for term in one.terms()]
        if self.by_name and len(terms) > 1:
            terms = [(term, term) for _, term in terms]
        scales = [
            [term for of, term in terms if of == group] for group in dict.fromkeys(of for of, _ in terms)
        ]
        if len(scales) > 2:
            raise UsageError("a picture has two vertical axes, and not more: use -separate")
        return [*scales, []][:2]

    def command(self) -> tuple[str, ...]:
        """Independent. Return the words of the command."""
        drawn = self.checked()
        self.check_order()
        first = drawn[0]
        is_listed = self.has_same_files and self.has_panels
        panels = [
            [one for one in drawn if one.panel == panel or not is_listed]
            for panel in (dict.fromkeys(one.panel for one in drawn) if is_listed else [0])
        ]
        if not self.has_same_files:
            panels = [[first]]
        axes = [self.axes(some) for some in panels]
        option = "--attributes" if first.kind == "parameterNames" else "-y"
        words = ["plot", *self.files]
        for left, _ in axes:
            words += [option, ",".join(left)]
        words += ["-x", first.x]
        if any(right for _, right in axes):
            words += [word for _, right in axes for word in ("--y2", ",".join(right))]
        errors = [one for request in panels for some in request for one in some.errors]
        words += ["--error", ",".join(errors)] if errors else []
        words += ["--joined"] if not first.is_split and first.kind == "columnNames" else []
        kind = "list" if is_listed else "step" if self.has_panels else self.panels
        words += ["--panels", kind] if kind else []
        words += self.of_curves(axes)
        words += ["--where", " and ".join(f"({one})" for one in first.conditions)] if first.conditions else []
        for one in self.requests:
            words += ["--magnets", overlay_file(one)] if one.is_overlay else []
        return (*words, *self.words, "-o", self.target(), "--overwrite")

    def of_curves(self, axes: Sequence[list[list[str]]]) -> list[str]:
        """Independent. Return the styles and the labels: of names, or of the curves of each file.

        `axes` are the terms on both axes of each panel.
        """
        if self.has_same_files:
            of_term = {term: one for one in self.drawn for term in one.terms()}
            styled = [of_term[term] for place in (0, 1) for both in axes for term in both[place]]
            labelled = [
                (of_term[term], file, term)
                for both in axes
                for file in self.drawn[0].files
                for terms in both
                for term in terms
            ]
        else:
            labelled = [(one, file, term) for one in self.drawn for file in one.files for term in one.terms()]
            styled = [one for one, _, _ in labelled]
        words = []
        styles = [one.style or "line" for one in styled]
        if len(set(styles)) > 1:
            if not self.has_same_files and any(one.is_split for one in styled):
                raise UsageError("the styles of pages differ: draw them by several calls of sddsplot")
            words += ["--style", ",".join(styles)]
        elif styled[0].style:
            words += ["--style", styled[0].style]
        return words + labels_of(labelled)

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


def labels_of(curves: Sequence[tuple[Request, str, str]]) -> list[str]:
    """Independent. Return the words for what the legend shows of curves: requests, files and terms. Raises
    UsageError if it shows something else of each.
    """
    parameters = {one.text if one.legend == "parameter" else "" for one, _, _ in curves}
    if len(parameters) > 1:
        raise UsageError("-legend=parameter= is needed for each request, with the same parameter")
    if name := parameters.pop():
        return ["--labels", f"@{name}"]
    labels = [one.label(file, term) for one, file, term in curves]
    if not any(labels):
        return []
    if not all(labels) or any("," in one for one in labels):
        raise UsageError("-legend=specified= is needed for each request, and without commas")
    return ["--labels", ",".join(labels)]


def overlay_file(request: Request) -> str:
    """Independent. Return the file of the magnets. Raises UsageError without one."""
    if not request.files:
        raise UsageError("-overlay: the file of the magnets is missing")
    return request.files[0]


def names_of(option: Option, plot: Plot) -> None:
    """Independent. Begin a request."""
    plot.add_names(option)


def graphic(option: Option, plot: Plot) -> None:
    """Independent. Set the style."""
    style = STYLES[option.choice(0, list(STYLES), "graphic")]
    is_connected = any(option.is_one(item.partition("=")[0], ("connect",)) for item in option.items[1:])
    plot.present.style = "both" if is_connected and style == "points" else style


def legend(option: Option, plot: Plot) -> None:
    """Independent. Set what the legend shows; without items it is what Quire shows. The size of its text has
    no effect.
    """
    found = []
    for item in option.items:
        word, _, text = item.partition("=")
        key = option.resolved(word, LEGENDS, "legend")
        if key == "scale":
            continue
        if key in ("edit", "xSymbol"):
            raise option.wrong(f"{key} is not translated")
        if key in OF_TEXT and not text:
            raise option.wrong(f"the text after {key}= is missing")
        found.append((key, text))
    if len(found) > 1:
        raise option.wrong("a legend shows one of them")
    plot.present.legend, plot.present.text = found[0] if found else ("", "")


def group_by(option: Option, plot: Plot) -> None:
    """Independent. Keep the order of curves, which is checked when all are known."""
    plot.order = option


def split(option: Option, plot: Plot) -> None:
    """Independent. Draw a curve for each page."""
    option.choice(0, ("page",), "split")
    if len(option.items) > 1:
        raise option.wrong("each page is a curve: other intervals are not translated")
    plot.present.is_split = True


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
        plot.present.transform = MODES.get(found, plot.present.transform)
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
    """Independent. Return what sets a text, which may be that of a parameter: `@NAME`."""

    def set_text(option: Option, plot: Plot) -> None:
        text = option.items[0] if option.items else ""
        if any(
            option.resolved(one.partition("=")[0], TEXTS, "qualifier") == "edit" for one in option.items[1:]
        ):
            raise option.wrong("an edited text is not translated")
        plot.words += [f"{name}={text}"] if text else []

    return set_text


def order(option: Option, plot: Plot) -> None:
    """Independent. Set the colours of the curves."""
    plot.words += ["--palette", PALETTES[option.choice(0, list(PALETTES), "order")]]


def winnow(option: Option, plot: Plot) -> None:
    """Independent. Select rows."""
    if option.choice(0, ("column", "parameter"), "kind of element") != "column":
        raise option.wrong("only rows are selected")
    condition = filter_condition(option) if option.keyword == "filter" else match_condition(option)
    plot.present.conditions += (condition,)


def sparse(option: Option, plot: Plot) -> None:
    """Independent. Draw every n-th row."""
    interval = integer(option.item(0, "the interval"), option)
    if interval < 1:
        raise option.wrong("the interval is 1 or more")
    offset = integer(option.items[1], option) if len(option.items) > 1 else 0
    if offset < 0:
        raise option.wrong("the first row is 0 or more")
    rows = f"row >= {offset} and (row - {offset})" if offset else "row"
    plot.present.conditions += (f"{rows} % {interval} == 0",)


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
    "groupBy": group_by,
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
    assumed = with_numbers_of_steps(plot)
    return Command(PROGRAM, plot.command(), assumed if STANDARD in plot.files else (), assumed)


def with_numbers_of_steps(plot: Plot) -> tuple[str, ...]:
    """Independent. Let the parameter `Step` be the number of the step, unless files have it as an attribute.

    Returns what is assumed of files that are not there.
    """
    numbered = [one for one in plot.drawn if one.kind == "parameterNames" and STEP in (one.x, *one.ys)]
    named = [one for one in plot.drawn if one.legend == "parameter" and one.text == STEP]
    texts = [place for place, word in enumerate(plot.words) if word.endswith(f"=@{STEP}")]
    if not (numbered or named or texts) or is_attribute(plot.files):
        return ()
    for one in named:
        one.text = NUMBER
    for place in texts:
        plot.words[place] = plot.words[place].removesuffix(STEP) + NUMBER
    for one in numbered:
        one.x = NUMBER if one.x == STEP else one.x
        one.ys = [NUMBER if name == STEP else name for name in one.ys]
    return () if all(map(os.path.isfile, plot.files)) else (NUMBERED,)


def add_file(path: str, plot: Plot) -> None:
    """Independent. Add a file to the last request. Raises UsageError before the first."""
    if not plot.requests:
        raise UsageError(f"names are missing before the file {path}: give -columnNames=X,Y")
    plot.requests[-1].files.append(path)
