"""Expressions in reverse Polish notation, translated to infix: `x y + sqrt` is `sqrt(x + y)`.

The compiler is imported when an expression needs it.
"""

import re
from typing import Final

PREFIX: Final = re.compile(r"\s*rpn(?P<old>-1986)?:")


def is_rpn(text: str) -> bool:
    """Independent. Return whether an expression begins with `rpn:` or `rpn-1986:`."""
    return PREFIX.match(text) is not None
