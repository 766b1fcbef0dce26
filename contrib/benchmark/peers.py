# SPDX-License-Identifier: Zlib
"""The same files in the file systems of others. There are no goals: these explain what FUSE costs anybody."""
import os
import shutil
import subprocess
import time

from tools import OtherMounts, Result, files_below, fresh, in_turns, read_all, run, timed
from works import TUTORIAL, TYPED, squash, title, tool


def listed_by_squashfuse(b):
    """What FUSE costs another program, whose directories are ready in memory."""
    map_, squashfuse = b.real(TUTORIAL), OtherMounts(tool("squashfuse"), b.path("mnt-squash"))
    b.reference(map_, *TYPED, "raw")
    squash(b, "tree")
    a, t = in_turns(3 * b.rounds, *(
        lambda m=m, source=source: m.cold(source, lambda: run("ls", "-lR", m.point))
        for m, source in ((b.mapfs, map_), (squashfuse, b.path("tree.squashfs")))))
    return [Result("ls -lR, " + title(TUTORIAL), "squashfuse", None, a, t)]


def peers(b):
    """The same files in the archives of others: mounted, read, unmounted."""
    map_, out = b.real(TUTORIAL), []
    b.reference(map_, *TYPED)

    def others(program, image, point):
        def once():
            run(program, image, point, stderr=subprocess.DEVNULL)
            read_all(files_below(point))
            run("fusermount3" if program.endswith("squashfuse") else "fusermount", "-u", point)
            deadline = time.monotonic() + 5
            while os.path.ismount(point) and time.monotonic() < deadline:
                time.sleep(0.001)
        return once

    def ours():
        b.mapfs.mount(map_)
        read_all([p for n in b.mapfs.inside(*TYPED) for p in files_below(n)])
        b.mapfs.unmount()

    squash(b, "tree")
    shutil.make_archive(b.path("tree"), "zip", b.path("tree"))
    for name, image in (("squashfuse", "tree.squashfs"), ("fuse-zip", "tree.zip"), ("archivemount", "tree.zip")):
        point = fresh(b.path("mnt-" + name))
        a, t = in_turns(b.rounds, lambda: timed(ours), lambda: timed(others(tool(name), b.path(image), point)))
        out.append(Result("mount, read, unmount", name, None, a, t))
    return out


ALL = [listed_by_squashfuse, peers]
