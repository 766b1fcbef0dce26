# SPDX-License-Identifier: Zlib
import os

import pytest

import box as boxes
import datafile
import places


def pytest_collection_modifyitems(items):
    why = boxes.fuse_problem()
    for item in items:
        if why and "box" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.skip(reason=why))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if call.when == "call":
        item.passed = outcome.get_result().passed


@pytest.fixture
def box(request):
    assert os.path.exists(places.BINARY), "mapfs is not built (MAPFS_BINARY)"
    b = boxes.Box()
    yield b
    # A test that failed left what it left; only of one that passed is tidiness asked.
    b.close(check=getattr(request.node, "passed", False))


@pytest.fixture
def small(box):
    """A small map of the box's own."""
    return box.add(datafile.small_map())


@pytest.fixture
def root():
    if os.geteuid() != 0:
        pytest.skip("needs root")
