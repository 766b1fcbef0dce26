# SPDX-License-Identifier: Zlib
"""Runs pytest over files of tests, as a program that meson understands: program.py [--cross] FILE... [OPTION...]

Where pytest is missing, the program is skipped and says so. With --cross, too: the tests start programs by their
names, and those of another machine may need an emulator before them.
"""
import os
import sys

try:
    import pytest
except ImportError:
    print("skip: not installed: python3-pytest")
    sys.exit(77)
if sys.argv[1:2] == ["--cross"]:
    print("skip: the programs are built for another machine")
    sys.exit(77)
sys.exit(pytest.main(["-c", os.path.join(os.path.dirname(os.path.abspath(__file__)), "pytest.ini"),
                      *sys.argv[1:]]))
