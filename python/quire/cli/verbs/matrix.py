"""quire matrix: products and inverses of the columns of numbers."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from quire.cli.verb import Stage


class Act(StrEnum):
    """What is done with matrices."""

    PRODUCT = "product"
    INVERSE = "inverse"
    PSEUDO_INVERSE = "pseudo-inverse"
    TRANSPOSE = "transpose"


What = Annotated[Act, typer.Argument(help="What is done.")]
Other = Annotated[str, typer.Option("--by", metavar="FILE", help="With product: the right-hand matrix.")]
Commute = Annotated[bool, typer.Option("--commute", help="With product: FILE is the left-hand matrix.")]
Ratio = Annotated[
    float | None,
    typer.Option("--ratio", help="Leave out singular values below this fraction of the largest."),
]
Largest = Annotated[
    int | None, typer.Option("--largest", metavar="N", help="Keep the N largest singular values.")
]
Smallest = Annotated[
    int | None, typer.Option("--smallest", metavar="N", help="Leave out the N smallest singular values.")
]
Removed = Annotated[
    list[str] | None, typer.Option("--remove", metavar="LIST", help="Leave out these modes, from 0: 3,5")
]
Alpha = Annotated[float | None, typer.Option("--alpha", help="Damping s/(s^2+alpha^2).")]
Beta = Annotated[float | None, typer.Option("--beta", help="The damping over the largest singular value.")]


def matrix(
    what: What,
    by: Other = "",
    commute: Commute = False,
    ratio: Ratio = None,
    largest: Largest = None,
    smallest: Smallest = None,
    remove: Removed = None,
    alpha: Alpha = None,
    beta: Beta = None,
) -> Stage:
    """Take columns as a matrix: product, inverse, transpose.

    Texts name rows. Rows of inverses are named after the columns, and columns after the rows. NaN are an
    error, as is the inverse of a singular matrix.

    Example: quire matrix beam.h5 turned.h5 transpose --where 'id < 5'

    Example: quire run new a=2,0 b=1,4 / matrix inverse

    Example: quire run new a=1,1,0 b=1,1,1 / matrix pseudo-inverse --largest 1
    """
    from quire.cli.verbs.fit import whole
    from quire.errors import UsageError
    from quire.toolkit.selection import parse_names
    from quire.verbs import matrix as verbs
    from quire.verbs.reshape import transpose

    given = {"ratio": ratio, "largest": largest, "smallest": smallest, "alpha": alpha, "beta": beta}
    options = {name: value for name, value in given.items() if value is not None}
    if remove:
        options["remove"] = [whole(word) for word in parse_names(remove) or ()]  # type: ignore[assignment]
    if options and what is not Act.PSEUDO_INVERSE:
        raise UsageError("modes and damping belong to pseudo-inverse")
    if bool(by) != (what is Act.PRODUCT):
        raise UsageError("--by belongs to product" if by else "product needs --by FILE")
    if commute and what is not Act.PRODUCT:
        raise UsageError("--commute belongs to product")
    if what is Act.PRODUCT:
        return Stage(lambda chain, other: verbs.multiply(chain, other, commute=commute), [by])
    if what is Act.INVERSE:
        return Stage(verbs.invert)
    if what is Act.TRANSPOSE:
        return Stage(transpose)
    return Stage(lambda chain: verbs.pseudo_invert(chain, **options))  # type: ignore[arg-type]
