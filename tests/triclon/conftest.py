# SPDX-License-Identifier: Zlib
import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))

from driver import Driver  # noqa: E402


@pytest.fixture(scope="module")
def d():
    driver = Driver()
    yield driver
    driver.close()
