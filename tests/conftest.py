# SPDX-License-Identifier: Zlib
"""Fixtures for all tests: a box for real mounts; and the lines that contrib/tally counts."""
import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, folder) for folder in ("mount/support", "mount")]

import box as boxes  # noqa: E402
import datafile  # noqa: E402
import places  # noqa: E402
from core import PROGRAM, Core  # noqa: E402


def pytest_collection_modifyitems(items):
    reason = boxes.fuse_problem()
    for item in items:
        if reason and "box" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if call.when == "call":
        item.passed = outcome.get_result().passed


def pytest_terminal_summary(terminalreporter):
    stats = terminalreporter.stats
    for report in stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        terminalreporter.write_line("skip: " + reason.replace("Skipped: ", "", 1))
    for report in stats.get("failed", []) + stats.get("error", []):
        terminalreporter.write_line("fail: " + report.nodeid)
    failed = {r.nodeid for r in stats.get("failed", []) + stats.get("error", [])}
    passed = {r.nodeid for r in stats.get("passed", [])} - failed
    terminalreporter.write_line("tally: %d passed, %d failed, %d skipped" % (
        len(passed), len(failed), len(stats.get("skipped", []))))


@pytest.fixture(scope="module")
def core():
    if not os.path.exists(PROGRAM):
        pytest.skip("test-mount-core is not built")
    c = Core()
    yield c
    c.close()


@pytest.fixture
def box(request):
    assert os.path.exists(places.BINARY), "mapfs is not built (MAPFS_BINARY)"
    b = boxes.Box()
    yield b
    # Only a test that passed must leave nothing behind.
    b.close(check=getattr(request.node, "passed", False))


@pytest.fixture
def small(box):
    """A small map in the box."""
    return box.add(datafile.small_map())


@pytest.fixture
def root():
    if os.geteuid() != 0:
        pytest.skip("needs root")
