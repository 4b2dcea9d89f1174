"""Every vector must be read as its truth states. New vectors are found without registration."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.format.conformance import expansions, meshes, objects, openpmd, pages, steps, streams
from tests.format.conformance.recommended import recommended
from tests.format.conformance.vectors import Truth, Vector, root, vectors

import quire

pytestmark = pytest.mark.golden

# The kinds of truths and their comparisons.
KINDS: list[tuple[Callable[[Truth], bool], Callable[[str, Truth], None]]] = [
    (lambda truth: "sddscheck" in truth or "reference" in truth, pages.compare),
    (objects.belongs, objects.compare),
    (openpmd.belongs, openpmd.compare),
    (lambda truth: "definitions" in truth, expansions.compare),
    (lambda truth: "meshes" in truth, meshes.compare),
    (streams.belongs, streams.compare),
    (lambda truth: "expect" in truth and ("steps" in truth or "damage" in truth), steps.compare),
]
# Truths that are not compared, with the reason.
LEFT_OUT: list[tuple[Callable[[Truth], bool], str]] = [
    (lambda truth: "__openPMD_internal" in truth, "this is a data file and no truth"),
]


def identity(vector: Vector) -> str:
    return f"{vector.folder}/{vector.name}"


def test_vectors_exist() -> None:
    assert vectors(), f"no vectors below {root()}"


@pytest.mark.parametrize("vector", vectors(), ids=identity)
def test_file_is_read_as_its_truth_states(vector: Vector, monkeypatch: pytest.MonkeyPatch) -> None:
    # Truths were created in the folder of the file; names of included files depend on it.
    monkeypatch.chdir(vector.data.parent)
    truth = recommended(vector.name, vector.load())
    for belongs, reason in LEFT_OUT:
        if belongs(truth):
            pytest.skip(reason)
    for belongs, compare in KINDS:
        if belongs(truth):
            try:
                compare(str(vector.data), truth)
            except quire.UnsupportedError as error:
                pytest.skip(error.message)
            return
    pytest.skip("no comparison exists for this kind of truth")
