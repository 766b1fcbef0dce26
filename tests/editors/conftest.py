# SPDX-License-Identifier: Zlib
"""Maps to edit, each mounted in a session: box, map and mount as one object."""
import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))

import places  # noqa: E402
import session  # noqa: E402


@pytest.fixture
def mounted(box):
    """A function that mounts a copy of one of Debian's maps."""
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
