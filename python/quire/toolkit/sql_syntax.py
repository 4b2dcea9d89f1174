"""What a query names: files, columns, and results that are columns of a file, from its syntax tree."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from quire.errors import UsageError
from quire.toolkit.engine import Engine

KEEPS_UNIT: Final = frozenset({
    "abs", "any_value", "avg", "first", "last", "mad", "max", "mean", "median", "min", "mode", "quantile",
    "quantile_cont", "quantile_disc", "stddev", "stddev_pop", "stddev_samp", "sum",
})  # fmt: skip
"""Functions whose result has the unit of their first argument."""

WHOLE: Final = frozenset({"PIVOT", "POSITIONAL_REFERENCE", "SHOW_REF"})
"""Nodes that use columns which they do not name."""


@dataclass(frozen=True)
class Origin:
    """The column that a result is, or is computed from in the same unit. Names are as in the query."""

    table: str
    """Name or alias of the table; empty if the query does not name it."""
    column: str
    is_same: bool
    """Whether the values are those of the column, and not the result of a function."""


@dataclass(frozen=True)
class Syntax:
    """The syntax tree of a query."""

    tree: Any

    @classmethod
    def parse(cls, engine: Engine, query: str) -> Syntax:
        """Independent. Parse a query. Raises UsageError for everything but one SELECT."""
        (text,) = engine.rows("SELECT json_serialize_sql(?)", query)[0]
        found = json.loads(text)
        if found["error"]:
            is_other = found["error_type"] == "not implemented"
            reason = "" if is_other else f": {' '.join(found['error_message'].split())}"
            raise UsageError(f"this is no query{reason}", advice="write SELECT ... FROM 'FILE'")
        if len(found["statements"]) != 1:
            raise UsageError("write one query, SELECT ... FROM 'FILE'")
        return cls(found["statements"][0]["node"])

    def tables(self) -> list[str]:
        """Independent. Return the names of tables that the query does not define, each once. Raises
        UsageError for a name with a point, which is that of a file without quotes.
        """
        own = {one["key"] for node in nodes(self.tree) for one in node.get("cte_map", {}).get("map", ())}
        found = [node for node in nodes(self.tree) if is_table(node)]
        for node in found:
            if schema := node.get("schema_name"):
                name = f"{schema}.{node['table_name']}"
                raise UsageError(f"the name of a file is written in quotes: FROM '{name}'")
        return [name for name in dict.fromkeys(node["table_name"] for node in found) if name not in own]

    def columns(self) -> set[str]:
        """Independent. Return the names in the query that may be columns, in lower case."""
        return {
            name.lower()
            for node in nodes(self.tree)
            for name in (*node.get("column_names", ()), *node.get("using_columns", ()))
        }

    def used(self, table: str) -> set[str] | None:
        """Independent. Return the names of columns of a table that the query may use, in lower case; None if
        it may use all.
        """
        every = list(nodes(self.tree))
        named = [node for node in every if is_table(node) and node["table_name"] == table]
        aliases = {(node["alias"] or table).lower() for node in named}
        references = [
            [one.lower() for one in node["column_names"]] for node in every if "column_names" in node
        ]
        if (
            self.has_star
            or any(str(node.get("type")) in WHOLE or node.get("ref_type") == "NATURAL" for node in every)
            or any(node.get("column_name_alias") for node in named)
            or any(len(names) == 1 and names[0] in aliases for names in references)
        ):
            return None
        using = {name.lower() for node in every for name in node.get("using_columns", ())}
        # The first of several names may be a table, or a column of rows in one.
        return using | {
            name for names in references if len(names) == 1 or names[-2] in aliases for name in names
        }

    def results(self) -> set[str]:
        """Independent. Return the names that the query gives to results and tables, in lower case."""
        return {node["alias"].lower() for node in nodes(self.tree) if isinstance(node.get("alias"), str)}

    @property
    def has_star(self) -> bool:
        """Whether the query has a `*` for columns."""
        return any(node.get("type") == "STAR" for node in nodes(self.tree))

    def aliases(self) -> dict[str, str]:
        """Independent. Return the tables that results are selected from, by the names that columns have for
        them, in lower case. Empty if there are others than tables.
        """
        found: dict[str, str] = {}
        left = [self.tree.get("from_table")]
        while left:
            one = left.pop() or {}
            if one.get("type") == "JOIN":
                left += [one["left"], one["right"]]
            elif is_table(one):
                found[(one["alias"] or one["table_name"]).lower()] = one["table_name"]
            else:
                return {}
        return found

    def origins(self, names: Sequence[str]) -> dict[str, Origin]:
        """Independent. Return the origins of results, by their names, as far as they are known."""
        selected = self.tree.get("select_list", ())
        if any(one["type"] == "STAR" for one in selected):
            is_plain = all(one["type"] == "STAR" and not one.get("replace_list") for one in selected)
            return {name: Origin("", name, True) for name in names} if is_plain else {}
        found = zip(names, map(origin_of, selected), strict=False)
        return {name: origin for name, origin in found if origin is not None}


def nodes(tree: Any) -> Iterator[Mapping[str, Any]]:
    """Independent. Yield all nodes of a tree."""
    if isinstance(tree, dict):
        yield tree
        tree = list(tree.values())
    if isinstance(tree, list):
        for one in tree:
            yield from nodes(one)


def is_table(node: Mapping[str, Any]) -> bool:
    """Independent. Return whether a node is a table by name."""
    return node.get("type") == "BASE_TABLE"


def origin_of(node: Mapping[str, Any]) -> Origin | None:
    """Independent. Return the origin of a result; None if it is an expression."""
    if node["type"] == "COLUMN_REF":
        *table, column = node["column_names"]
        return Origin(str(table[-1]).lower() if table else "", column, True)
    if node["type"] != "FUNCTION" or node.get("function_name", "").lower() not in KEEPS_UNIT:
        return None
    given = node.get("arguments") or node.get("children") or [{}]
    first = given[0].get("expression", given[0])
    if first.get("type") != "COLUMN_REF":
        return None
    found = origin_of(first)
    return None if found is None else Origin(found.table, found.column, False)
