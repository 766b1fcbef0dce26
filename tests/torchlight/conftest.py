# SPDX-License-Identifier: Zlib
"""Real mounts: the box of tests/mount."""
import os
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "mount")]

# Meson says where the programs of this room are; without it they are where MAPFS_BINARY was built.
if "MAPFS_BINARY" in os.environ:
    ROOM = pathlib.Path(os.environ["MAPFS_BINARY"]).resolve().parents[1] / "tests" / "torchlight"
    os.environ.setdefault("TL_TOOL", str(ROOM / "torchlight-tool"))
    os.environ.setdefault("TL_LAWS", str(ROOM / "torchlight-laws"))
    os.environ.setdefault("TL_FUZZ", str(ROOM))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if call.when == "call":
        item.passed = outcome.get_result().passed


@pytest.fixture
def box(request):
    import box as boxes
    import places
    why = boxes.fuse_problem()
    if why:
        pytest.skip(why)
    assert os.path.exists(places.BINARY), "mapfs is not built (MAPFS_BINARY)"
    b = boxes.Box()
    yield b
    b.close(check=getattr(request.node, "passed", False))
