# SPDX-License-Identifier: Zlib
import os
import sys

import pytest

MOUNT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "mount")
sys.path.append(MOUNT)

import box as boxes  # noqa: E402
import places  # noqa: E402
from driver import Driver  # noqa: E402


@pytest.fixture(scope="module")
def d():
    driver = Driver()
    yield driver
    driver.close()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if call.when == "call":
        item.passed = outcome.get_result().passed


@pytest.fixture
def box(request):
    why = boxes.fuse_problem()
    if why:
        pytest.skip(why)
    assert os.path.exists(places.BINARY), "mapfs is not built (MAPFS_BINARY)"
    b = boxes.Box()
    yield b
    b.close(check=getattr(request.node, "passed", False))
