# SPDX-License-Identifier: Zlib
"""Meson says where the programs of this room are; without it they are where MAPFS_BINARY was built."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
if "MAPFS_BINARY" in os.environ:
    ROOM = pathlib.Path(os.environ["MAPFS_BINARY"]).resolve().parents[1] / "tests" / "torchlight"
    os.environ.setdefault("TL_TOOL", str(ROOM / "torchlight-tool"))
    os.environ.setdefault("TL_LAWS", str(ROOM / "torchlight-laws"))
    os.environ.setdefault("TL_FUZZ", str(ROOM))
