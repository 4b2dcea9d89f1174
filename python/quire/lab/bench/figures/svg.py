"""Scenes as SVG, without another library. Pictures are self-contained: no style sheet, script or link."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from quire.lab.bench.figures.scene import Circle, Path, Polygon, Scene, Shape, Text

FONTS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"


def to_svg(scene: Scene) -> str:
    """Independent. The picture as one element `svg`."""
    size = f'width="{number(scene.width)}" height="{number(scene.height)}"'
    box = f'viewBox="0 0 {number(scene.width)} {number(scene.height)}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img" '
        f'aria-label={quoteattr(scene.title)} font-family="{FONTS}">',
        f'<rect width="{number(scene.width)}" height="{number(scene.height)}" fill="#ffffff"/>',
        *(line for shape in scene.shapes for line in element(shape)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def element(shape: Shape) -> Iterator[str]:
    """Independent. The element of a shape."""
    if isinstance(shape, Path):
        points = " ".join(f"{number(x)},{number(y)}" for x, y in shape.points)
        dashes = (
            f' stroke-dasharray="{" ".join(number(one) for one in shape.dashes)}"' if shape.dashes else ""
        )
        yield (
            f'<polyline points="{points}" fill="none" stroke="{shape.colour}" '
            f'stroke-width="{number(shape.width)}" stroke-linejoin="round"{dashes}/>'
        )
    elif isinstance(shape, Polygon):
        points = " ".join(f"{number(x)},{number(y)}" for x, y in shape.points)
        yield titled(f'<polygon points="{points}"{paint(shape)}', "polygon", shape.title)
    elif isinstance(shape, Circle):
        place = f'cx="{number(shape.centre[0])}" cy="{number(shape.centre[1])}" r="{number(shape.radius)}"'
        yield titled(f"<circle {place}{paint(shape)}", "circle", shape.title)
    else:
        yield text_element(shape)


def text_element(shape: Text) -> str:
    """Independent. A line of text."""
    x, y = number(shape.at[0]), number(shape.at[1])
    turn = f' transform="rotate(-90 {x} {y})"' if shape.turned else ""
    bold = ' font-weight="bold"' if shape.bold else ""
    return (
        f'<text x="{x}" y="{y}" font-size="{number(shape.size)}" fill="{shape.colour}" '
        f'text-anchor="{shape.anchor}"{bold}{turn}>{escape(shape.text)}</text>'
    )


def paint(shape: Polygon | Circle) -> str:
    """Independent. The attributes of colour."""
    found = f' fill="{shape.fill or "none"}"'
    if shape.width:
        found += f' stroke="{shape.border}" stroke-width="{number(shape.width)}"'
    return found + (f' opacity="{number(shape.opacity)}"' if shape.opacity < 1 else "")


def titled(start: str, name: str, title: str) -> str:
    """Independent. An element, with what a pointer over it shows."""
    return f"{start}><title>{escape(title)}</title></{name}>" if title else f"{start}/>"


def number(value: float) -> str:
    """Independent. A coordinate with two decimals at most."""
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"
