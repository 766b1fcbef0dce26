# SPDX-License-Identifier: Zlib
"""Meson passes the paths of this folder's programs; without meson they are found beside MAPFS_BINARY."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
if "MAPFS_BINARY" in os.environ:
    ROOM = pathlib.Path(os.environ["MAPFS_BINARY"]).resolve().parents[1] / "tests" / "torchlight"
    os.environ.setdefault("TL_TOOL", str(ROOM / "torchlight-tool"))
    os.environ.setdefault("TL_LAWS", str(ROOM / "torchlight-laws"))
    os.environ.setdefault("TL_FUZZ", str(ROOM))
