"""The totals of a test run count all tests, also those without a report."""

from __future__ import annotations

from pathlib import Path

import pytest

import run_tests

CTEST_REPORT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="(empty)" tests="6" failures="1" disabled="1" skipped="3">
<testcase name="unit.A.b" status="run"><system-out>fine</system-out></testcase>
<testcase name="unit.A.skip" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
<system-out>[ RUN      ] A.skip
/a/unit.cpp:4: Skipped
not on this system
[  SKIPPED ] A.skip (0 ms)</system-out></testcase>
<testcase name="par.ranks2" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>
<system-out>[rank 0] skipped P.b: /a/par.cpp:5: needs a big disk
</system-out></testcase>
<testcase name="par.ranks3" status="run">
<system-out>[rank 0] skipped P.c: /a/par.cpp:9: needs two nodes
</system-out></testcase>
<testcase name="unit.part" status="run">
<system-out>/a/unit.cpp:7: Skipped
only the administrator may mount
</system-out></testcase>
<testcase name="gone.A.b" status="notrun"><skipped message="Unable to find executable"/></testcase>
<testcase name="neg.ranks3" status="fail"><failure message=""/></testcase>
<testcase name="off.A.b" status="disabled"></testcase>
</testsuite>
"""

PYTEST_REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="4">
<testcase classname="tests.test_a" name="test_good" />
<testcase classname="tests.test_a" name="test_bad"><failure message="no">no</failure></testcase>
<testcase classname="tests.test_a" name="test_broken"><error message="no">no</error></testcase>
<testcase classname="tests.test_a" name="test_off"><skipped type="pytest.skip" message="no reader" />
</testcase>
</testsuite></testsuites>
"""


def test_ctest_report(tmp_path: Path) -> None:
    report = tmp_path / "ctest.xml"
    report.write_text(CTEST_REPORT)
    totals = run_tests.Totals()
    run_tests.add_ctest(report, 8, totals)
    assert totals.line() == "3 passed, 2 failed, 3 skipped"
    assert totals.failed == ["gone.A.b", "neg.ranks3"]
    assert totals.skipped == [
        ("unit.A.skip", "not on this system"),
        ("par.ranks2", "needs a big disk"),
        ("off.A.b", "disabled"),
    ]
    assert totals.partly == [
        ("par.ranks3 P.c", "needs two nodes"),
        ("unit.part /a/unit.cpp:7", "only the administrator may mount"),
    ]
    assert not totals.good()


def test_pytest_report(tmp_path: Path) -> None:
    report = tmp_path / "pytest.xml"
    report.write_text(PYTEST_REPORT)
    totals = run_tests.Totals()
    run_tests.add_pytest(report, 1, totals)
    assert totals.line() == "1 passed, 2 failed, 1 skipped"
    assert totals.skipped == [("tests.test_a::test_off", "no reader")]


@pytest.mark.parametrize("text", [None, "<testsuite><testcase"])
def test_crash_without_report_is_a_failure(tmp_path: Path, text: str | None) -> None:
    report = tmp_path / "report.xml"
    if text is not None:
        report.write_text(text)
    totals = run_tests.Totals()
    run_tests.add_ctest(report, 139, totals)
    run_tests.add_pytest(report, 2, totals)
    assert totals.line() == "0 passed, 2 failed, 0 skipped"


def test_a_run_without_tests_fails(tmp_path: Path) -> None:
    totals = run_tests.Totals()
    run_tests.add_pytest(tmp_path / "report.xml", run_tests.PYTEST_RAN_NOTHING, totals)
    assert totals.line() == "0 passed, 0 failed, 0 skipped"
    assert not totals.good()


@pytest.mark.parametrize("extra", [[], ["-k", "name"]])
def test_every_python_test_is_in_one_run_of_the_daily_and_the_nightly_ones(extra: list[str]) -> None:
    """A test with any of the marks runs once, either daily or nightly."""
    daily = run_tests.pytest_selections("", whole=not extra)
    nightly = run_tests.pytest_selections("nightly", whole=not extra)
    expressions = [marked for runs in (daily, nightly) for marked, _ in runs.values()]
    for is_mpi in (False, True):
        for is_nightly in (False, True):
            marks = {"mpi": is_mpi, "nightly": is_nightly}
            assert sum(eval(text, {}, marks) for text in expressions) == 1


def test_nightly_runs_of_ctest_select_the_label_that_the_presets_exclude(tmp_path: Path) -> None:
    command = run_tests.ctest_command(tmp_path, "mpich", "nightly")
    assert "--preset" not in command
    assert command[command.index("-L") + 1] == "nightly"
    for choice in ("", "golden"):
        assert "--preset" in run_tests.ctest_command(tmp_path, "mpich", choice)
