# SPDX-License-Identifier: Zlib
"""What was measured on, in one line."""
import os
import platform
import time


def processor():
    with open("/proc/cpuinfo") as f:
        return next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), platform.machine())


def file_system(path):
    """The type of the one that holds path: that of the longest mount point which path begins with."""
    best, path = ("", "?"), os.path.realpath(path)
    with open("/proc/self/mountinfo") as f:
        for line in f:
            before, _, after = line.partition(" - ")
            point = before.split()[4]
            if (path + "/").startswith(point.rstrip("/") + "/") and len(point) >= len(best[0]):
                best = point, after.split()[0]
    return best[1]


def about(disk, quick):
    with open("/proc/meminfo") as f:
        memory = int(f.readline().split()[1]) / 2**20
    return "%s, %d x %s, %.0f GiB, Linux %s, %s for saves; load %.1f at the start%s" % (
        time.strftime("%Y-%m-%d"), len(os.sched_getaffinity(0)), processor(), memory,
        ".".join(platform.release().split(".")[:2]).split("-")[0], file_system(disk), os.getloadavg()[0],
        "; --quick: small inputs, few rounds" if quick else "")
