# SPDX-License-Identifier: Zlib
"""The harness of tests/mount, and what the tests of programs need beside it."""
import importlib.util
import os
import sys

import pytest

MOUNT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "mount")
sys.path.insert(0, MOUNT)

import places  # noqa: E402
import session  # noqa: E402

_spec = importlib.util.spec_from_file_location("mount_conftest", os.path.join(MOUNT, "conftest.py"))
_mount = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_mount)

pytest_collection_modifyitems = _mount.pytest_collection_modifyitems
pytest_runtest_makereport = _mount.pytest_runtest_makereport
box, small, root = _mount.box, _mount.small, _mount.root


@pytest.fixture
def mounted(box):
    """Mounts a copy of one of Debian's maps."""
    return lambda name, opts="": session.Session(
        box, box.add(places.debian_map("ddnet/data/maps/" + name), "x.map"), opts)


@pytest.fixture
def tutorial(mounted):
    """A map with settings, 34 embedded images and 6 external ones."""
    return mounted("Tutorial.map")


@pytest.fixture
def tsunami(mounted):
    """A smaller map, with 9 embedded images."""
    return mounted("Tsunami.map")


@pytest.fixture
def sunny(mounted):
    """A map with a sound."""
    return mounted("Sunny Side Up.map")


@pytest.fixture
def generated(box, small):
    """A small map of every kind of part."""
    return session.Session(box, small)
