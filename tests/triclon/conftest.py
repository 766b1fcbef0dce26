# SPDX-License-Identifier: Zlib
import pytest

from driver import Driver


@pytest.fixture(scope="module")
def d():
    driver = Driver()
    yield driver
    driver.close()
