# SPDX-License-Identifier: Zlib
"""Makes the helper modules importable: those of this folder, and those that write archives and Triclon maps."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, d) for d in ("support", "../torchlight/support", "../triclon/support")]
