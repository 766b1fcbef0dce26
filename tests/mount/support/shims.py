# SPDX-License-Identifier: Zlib
"""Control of the preloaded libraries of tests/shim, and access to what they count."""
import mmap
import os
import struct

import places


class Shim:
    library = variable = None
    size = 0

    def __init__(self, path):
        self.path = str(path)
        with open(self.path, "wb") as f:
            f.truncate(self.size)
        self._fd = os.open(self.path, os.O_RDWR)
        self.memory = mmap.mmap(self._fd, self.size)

    def close(self):
        self.memory.close()
        os.close(self._fd)

    def env(self):
        library = os.path.join(places.SHIMS, self.library)
        assert os.path.exists(library), "the shim is not built: " + self.library
        return {"LD_PRELOAD": " ".join(places.sanitizers() + [library]), self.variable: self.path}


class Inflate(Shim):
    """Counts decoded streams: (decoded bytes, their Adler-32 or None if dropped)."""
    library, variable = "shim-inflate.so", "MAPFS_SHIM_INFLATE"
    rows, row = 65536, struct.Struct("<QII")
    size = 16 + rows * row.size

    def streams(self):
        n = struct.unpack_from("<I", self.memory)[0]
        assert n < self.rows, "more streams than the table holds"
        out = []
        for i in range(n):
            length, adler, ended = self.row.unpack_from(self.memory, 16 + i * self.row.size)
            out.append((length, adler if ended else None))
        return out

    def bytes(self):
        """The total of decoded bytes, including streams that continue from a copy."""
        return struct.unpack_from("<Q", self.memory, 8)[0]

    def reset(self):
        struct.pack_into("<IIQ", self.memory, 0, 0, 0, 0)


class Fault(Shim):
    """Fails or kills at the N-th call that changes a disk after it was armed."""
    library, variable = "shim-fault.so", "MAPFS_SHIM_FAULT"
    size = 4096
    WRITE, SYNC, RENAME, UNLINK, TRUNCATE, OPEN, META = (1 << i for i in range(7))
    ALL = (1 << 7) - 1
    COUNT, FAIL, FAIL_FROM, KILL, KILL_TORN, DELAY = range(6)
    NAMES = {WRITE: "write", SYNC: "sync", RENAME: "rename", UNLINK: "unlink",
             TRUNCATE: "truncate", OPEN: "open", META: "meta"}

    def arm(self, action, at=0, ops=ALL, error=0):
        self.disarm()
        struct.pack_into("<7I", self.memory, 0, 0, ops, action, at, error, 0, 0)
        struct.pack_into("<I", self.memory, 0, 1)

    def disarm(self):
        struct.pack_into("<I", self.memory, 0, 0)

    def calls(self):
        """The number of counted calls since it was armed."""
        return struct.unpack_from("<I", self.memory, 20)[0]

    def trace(self):
        n = min(struct.unpack_from("<I", self.memory, 24)[0], self.size - 28)
        return [self.NAMES.get(b, "?") for b in self.memory[28:28 + n]]


class Inside(Shim):
    """Makes the worker try forbidden calls, as if a map had taken it over."""
    library, variable = "shim-inside.so", "MAPFS_SHIM_INSIDE"
    size = 4096

    def ask(self, what, path=b"/", number=0):
        struct.pack_into("<iI256s", self.memory, 4, -1, number, path)
        struct.pack_into("<I", self.memory, 0, what + 1)

    def answer(self):
        """The errno of the requested call (0: it succeeded), or None if there is no answer yet."""
        asked, result = struct.unpack_from("<Ii", self.memory)
        return None if asked or result < 0 else result
