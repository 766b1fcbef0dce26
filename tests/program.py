# SPDX-License-Identifier: Zlib
"""Run pytest as a program for meson: program.py [--cross] FILE... [OPTION...]

Without pytest, the program is skipped with a message. It is also skipped with --cross: the tests start programs
directly, and programs for another machine may need an emulator.
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
