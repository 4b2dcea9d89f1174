"""Every test that asks for `format_name` runs once for each registered format."""

from tests.python.io.conftest import format_name as format_name
from tests.python.io.conftest import path as path
