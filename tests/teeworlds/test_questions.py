# SPDX-License-Identifier: Zlib
"""Queries change no map: random changes give the same file with and without queries between them."""
import os
import subprocess

import pytest


@pytest.mark.parametrize("name", ["structure", "parts", "full", "shared", "eleven"])
def test_queries_change_nothing(name):
    run = subprocess.run([os.environ["TW_QUESTIONS"], "40",
                          os.path.join(os.environ["TW_FIXTURES"], name + ".map")],
                         capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    counts = [int(part.split()[0]) for part in run.stdout.split(", ")]
    assert min(counts) >= 40, run.stdout
