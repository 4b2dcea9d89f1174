"""Expressions in reverse Polish notation, translated to infix: `x y + sqrt` is `sqrt(x + y)`."""

from quire.rpn.compiler import infix as infix
from quire.rpn.compiler import is_rpn as is_rpn
from quire.rpn.definitions import Definitions as Definitions
from quire.rpn.definitions import parse_definitions as parse_definitions
