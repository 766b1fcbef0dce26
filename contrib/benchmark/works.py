# SPDX-License-Identifier: Zlib
"""The works: each is a function of a Bench and gives rows of the table."""
import functools
import glob
import os
import resource
import shutil
import statistics
import subprocess
import zlib

import inputs
import places
import shims
from inputs import MIB
from tools import Mounts, OtherMounts, Result, copy, files_below, fresh, in_turns, read_all, run, timed

DRAGORES = "6fd52307_ChillerDragores6.map"
TUTORIAL = "ddnet/data/maps/Tutorial.map"
TYPED = ("info", "images", "sounds", "envelopes", "groups")


class Missing(Exception):
    pass


class Bench:
    def __init__(self, build, mapfs, memory, disk, quick, rounds):
        self.build, self.memory, self.disk, self.quick, self.rounds = build, memory, disk, quick, rounds
        places.SHIMS = os.path.join(build, "tests", "shim")
        self.mapfs = Mounts(mapfs or os.path.join(build, "src", "mapfs"), os.path.join(memory, "mnt"))
        self.least = OtherMounts(os.path.join(build, "contrib", "benchmark", "benchmark-memory"),
                                 os.path.join(memory, "mnt-least"))
        self.kept = set(os.listdir(memory))

    def path(self, *names):
        return os.path.join(self.memory, *names)

    def clean(self):
        """Between two works: what the last one made."""
        for d in (self.memory, self.disk):
            for name in os.listdir(d):
                path = os.path.join(d, name)
                if os.path.ismount(path):
                    subprocess.run([self.mapfs.binary, "-u", "--force", path], check=False)
                elif name not in self.kept:
                    shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)

    def limit(self, *args):
        return timed(run, os.path.join(self.build, "contrib", "benchmark", "benchmark-limit"), *args)

    def map_of(self, mib):
        """One of ours, which is made once and only read."""
        kept = self.path("kept")
        os.makedirs(kept, exist_ok=True)
        self.kept.add("kept")
        path = os.path.join(kept, "%d.map" % mib)
        return path if os.path.exists(path) else inputs.map_of(path, mib * MIB)

    def real(self, name):
        path = inputs.real(name)
        if not path:
            raise Missing(name + " is not here")
        return shutil.copyfile(path, self.path(os.path.basename(name)))

    def game(self):
        """The game's tools write below HOME."""
        os.makedirs(self.path("home", ".local", "share", "ddnet"), exist_ok=True)
        return dict(os.environ, HOME=self.path("home"))

    def reference(self, map_, *names):
        """The tree of a mount, copied to memory."""
        self.mapfs.mount(map_)
        copy(self.mapfs.inside(*names), self.path("tree"))
        self.mapfs.unmount()
        return [os.path.join(self.path("tree"), n) for n in os.listdir(self.path("tree"))]


def title(path):
    """A map's name in the table, without its number in the corpus and its ending."""
    return os.path.splitext(os.path.basename(path))[0].split("_")[-1]


def tool(name):
    path = shutil.which(name) or next(iter(glob.glob("/usr/lib/*/ddnet/" + name)), None)
    if not path:
        raise Missing(name + " is not installed")
    return path


def inflated(b):
    """Bytes, which are the same on every machine."""
    map_, shim = b.real(DRAGORES), shims.Inflate(b.path("shim"))
    f = inputs.datafile.Datafile.load(map_)
    contents = {zlib.crc32(f.blob(i)): f.declared[i] for i in range(f.n_data)}
    distinct = sum(contents.values()) / MIB
    b.mapfs.mount(map_, env=dict(os.environ, **shim.env()))
    copy(b.mapfs.inside(*TYPED), b.path("out"))
    typed = shim.bytes() / MIB
    copy(b.mapfs.inside("raw"), b.path("out"))
    both = shim.bytes() / MIB
    b.mapfs.unmount()
    shim.close()
    return [Result("inflated, without raw/", "content", 1.02, typed, distinct, "MiB"),
            Result("inflated, with raw/", "content", 2.02, both, distinct, "MiB")]


def copying(b):
    out = []
    for name in (DRAGORES,) if b.quick else (DRAGORES, TUTORIAL, "d4b2f94f_250-500.map"):
        map_, to, work = b.real(name), b.path("out"), "cp -r, " + title(name)
        tree = b.reference(map_, *TYPED)
        ours, inflating, plain, least = in_turns(
            b.rounds,
            lambda: b.mapfs.cold(map_, lambda: copy(b.mapfs.inside(*TYPED), to)),
            lambda: b.limit("inflate", map_),
            lambda: timed(copy, tree, to),
            lambda: b.least.cold(b.path("tree"), lambda: copy(b.least.inside(*TYPED), to)))
        out += [Result(work, "inflate+cp", 1.5, ours, inflating + plain),
                Result(work, "inflate+least", None, ours, inflating + least)]
        b.clean()
    return out


def table(b):
    map_ = b.real(DRAGORES)
    b.mapfs.mount(map_)
    largest = max(files_below(b.mapfs.point, ".csv"), key=os.path.getsize)
    inside, to = os.path.relpath(largest, b.mapfs.point), b.path("table.csv")
    shutil.copyfile(largest, b.path("reference.csv"))
    b.mapfs.unmount()
    f = inputs.datafile.Datafile.load(map_)
    blob = max(range(f.n_data), key=lambda i: f.declared[i])
    ours, theirs = in_turns(
        3 * b.rounds,
        lambda: b.mapfs.cold(map_, lambda: run("cp", os.path.join(b.mapfs.point, inside), to)),
        lambda: b.limit("blob", map_, blob) + timed(run, "cp", b.path("reference.csv"), to))
    return [Result("table of %d MB" % (os.path.getsize(to) // 10**6), "inflate+cp", 1.5, ours, theirs)]


def read_by(paths, readers):
    """By several processes, each of which takes every so-manieth file."""
    code = "import os,sys\nfor p in sys.argv[1:]:\n f=os.open(p,os.O_RDONLY)\n while os.read(f,1<<20): pass"
    children = [subprocess.Popen(["/usr/bin/python3", "-c", code] + paths[i::readers]) for i in range(readers)]
    if any(c.wait() for c in children):
        raise RuntimeError("a reader failed")


def images(b):
    map_ = b.map_of(10 if b.quick else 100)
    tree = b.reference(map_, "images")[0]

    def cold(mounts, source, readers):
        return mounts.cold(source, lambda: read_by(files_below(*mounts.inside("images")), readers))

    one, two, inflating, least = in_turns(
        b.rounds, lambda: cold(b.mapfs, map_, 1), lambda: cold(b.mapfs, map_, 2),
        lambda: b.limit("images", map_), lambda: cold(b.least, b.path("tree"), 1))
    b.mapfs.mount(map_)
    b.least.mount(b.path("tree"))
    places = [files_below(d) for d in (*b.mapfs.inside("images"), tree, *b.least.inside("images"))]
    for paths in places:
        read_all(paths)
    warm, plain, warm_least = in_turns(b.rounds, *(functools.partial(timed, read_all, paths) for paths in places))
    b.least.unmount()
    b.mapfs.unmount()
    return [Result("images", "inflate+least", 1.25, one, inflating + least),
            Result("images, two readers", "one reader", None, two, one),
            Result("images again", "files", 1.1, warm, plain),
            Result("images again", "least", None, warm, warm_least)]


def extract(b):
    map_, program = b.real(TUTORIAL), tool("map_extract")

    def ours():
        b.mapfs.mount(map_)
        copy(b.mapfs.inside("images"), b.path("out"))
        b.mapfs.unmount()

    ours_ms, theirs = in_turns(b.rounds, lambda: timed(ours), lambda: timed(
        run, program, map_, fresh(b.path("extracted")), env=b.game()))
    return [Result("mount, cp images, unmount", "map_extract", 5, ours_ms, theirs, least=True)]


def squash(b, tree):
    """Makes TREE.squashfs of a tree."""
    run(tool("mksquashfs"), b.path(tree), b.path(tree + ".squashfs"), "-quiet", "-noappend")


def mounting(b):
    out, squashfuse, empty = [], OtherMounts(tool("squashfuse"), b.path("mnt-squash")), fresh(b.path("empty"))
    squash(b, "empty")

    def once(mounts, path):
        mounts.mount(path)
        mounts.unmount()

    for mib in (1, 10) if b.quick else (1, 100, 1024):
        map_, work = b.map_of(mib), "mount+unmount, %d MB" % mib
        ours, theirs, least = in_turns(
            3 * b.rounds, lambda: timed(once, b.mapfs, map_),
            lambda: timed(once, squashfuse, b.path("empty.squashfs")), lambda: timed(once, b.least, empty))
        out += [Result(work, "squashfuse", 2, ours, theirs),
                Result(work, "least", None, ours, least)]
    return out


def listing(b):
    map_, tree = b.real(TUTORIAL), b.path("tree")
    b.reference(map_, *TYPED, "raw")
    ours, plain, least = in_turns(
        3 * b.rounds, lambda: b.mapfs.cold(map_, lambda: run("ls", "-lR", b.mapfs.point)),
        lambda: timed(run, "ls", "-lR", tree),
        lambda: b.least.cold(tree, lambda: run("ls", "-lR", b.least.point)))
    work = "ls -lR, " + title(TUTORIAL)
    return [Result(work, "files", 2, ours, plain),
            Result(work, "least", None, ours, least)]


def archives(b):
    n, compiled = (7500, 2000) if b.quick else (75000, 20000)
    mod = inputs.archive(b.path("LARGE.MOD"), n, compiled)
    names, = in_turns(b.rounds, lambda: b.mapfs.cold(mod, lambda: run("find", b.mapfs.point)))
    tree = fresh(b.path("tree"))
    b.mapfs.mount(mod)
    run("cp", "-r", b.mapfs.point + "/MEDIA", tree)
    b.mapfs.unmount()
    sizes, limit, listed, least = in_turns(
        b.rounds, lambda: b.mapfs.cold(mod, lambda: run("ls", "-lR", b.mapfs.point)),
        lambda: b.limit("sizes", mod, 2), lambda: timed(run, "ls", "-lR", tree),
        lambda: b.least.cold(tree, lambda: run("ls", "-lR", b.least.point)))
    lists = "ls -lR, %d files (%d compiled)" % (n, compiled)
    return [Result("find, %d files" % n, "1 s", 1, names, 1000.0),
            Result(lists, "decode", 1.3, sizes, limit),
            Result(lists, "decode+files", 1.3, sizes, limit + listed),
            Result(lists, "decode+least", None, sizes, limit + least)]


def fsync(path):
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def copy_and_rename(path):
    source, target = os.open(path, os.O_RDONLY), os.open(path + ".tmp", os.O_WRONLY | os.O_CREAT, 0o644)
    left = os.fstat(source).st_size
    while left:
        left -= os.copy_file_range(source, target, left)
    os.fsync(target)
    os.close(source)
    os.close(target)
    os.rename(path + ".tmp", path)
    fsync(os.path.dirname(path))


def save_and_copy(b, mib, rounds):
    """One setting changed and saved; the file copied and renamed. And the file, for who wants more of it."""
    ours_dir, theirs_dir = (fresh(os.path.join(b.disk, d)) for d in ("ours", "theirs"))
    map_ = shutil.copyfile(b.map_of(mib), os.path.join(ours_dir, "some.map"))
    other = shutil.copyfile(map_, os.path.join(theirs_dir, "some.map"))
    count = iter(range(10**6))

    def save():
        # Of another length each time, so that what comes after it moves.
        inputs.write(os.path.join(b.mapfs.point, "info/settings.cfg"), b"sv_round 1%s\n" % (b"0" * (next(count) % 7)))
        return timed(fsync, b.mapfs.point)

    b.mapfs.mount(map_)
    a, t = in_turns(rounds, save, lambda: timed(copy_and_rename, other))
    b.mapfs.unmount()
    return a, t, other


def saving(b):
    out = []
    for mib, goal in ((1, 2), (10, 1.3)) if b.quick else ((1, 2), (100, 1.3), (1024, 1.3)):
        a, t, other = save_and_copy(b, mib, b.rounds if mib > 100 else 3 * b.rounds)
        out.append(Result("save, %d MB" % mib, "copy+sync", goal, a, t))
        if not 1 < mib < 1024:
            continue
        try:
            program = tool("map_resave")
            theirs, = in_turns(1, lambda: timed(run, program, other, "new.map", env=b.game()))
            out += [Result("save, %d MB" % mib, "map_resave", 50, a, theirs, least=True),
                    Result("(copy+sync, %d MB)" % mib, "map_resave", None, t, theirs, least=True)]
        except Missing:
            pass
    return out


def processor(pids):
    """Milliseconds of processor time that these processes have used."""
    ticks = 0
    for pid in pids:
        with open("/proc/%d/stat" % pid) as f:
            ticks += sum(map(int, f.read().rsplit(")", 1)[1].split()[11:13]))
    return 1000 * ticks / os.sysconf("SC_CLK_TCK")


def processor_of(work, *args):
    """... that a program has used, which has ended."""
    def used():
        r = resource.getrusage(resource.RUSAGE_CHILDREN)
        return 1000 * (r.ru_utime + r.ru_stime)
    before = used()
    work(*args)
    return used() - before


def edit(top, setting, image, images):
    """Ctrl+S in two editors, and a file manager that looks at every file between them."""
    inputs.write(os.path.join(top, "info/settings.cfg"), setting)
    look(top)
    shutil.copyfile(image, os.path.join(top, images))
    look(top)


def look(top):
    for folder, _, names in os.walk(top):
        for name in names:
            os.stat(os.path.join(folder, name))


def session(b, path, images, rounds):
    """20 saves of one image and one setting in a mount, then its end; and the same on plain files."""
    first = "images/" + next(n for n in images if n.endswith(".png"))
    pngs = [inputs.png(b.path("%d.png" % i), i, 512) for i in range(2)]
    plain = b.path("plain")

    def ours():
        b.mapfs.mount(path)
        for i in range(rounds):
            edit(b.mapfs.point, b"sv_round %d" % i, pngs[i % 2], first)
        b.mapfs.unmount()

    def theirs():
        for i in range(rounds):
            edit(plain, b"sv_round %d" % i, pngs[i % 2], first)
        copy_and_rename(path)

    copy(b.mapfs.inside(*TYPED), plain)
    b.mapfs.unmount()
    return in_turns(b.rounds, lambda: timed(ours), lambda: timed(theirs))


def editing(b):
    path = shutil.copyfile(b.map_of(10), os.path.join(fresh(os.path.join(b.disk, "edited")), "some.map"))
    pngs = [inputs.png(b.path("large%d.png" % i), i) for i in range(2 if b.quick else 6)]
    limit = os.path.join(b.build, "contrib", "benchmark", "benchmark-limit")
    setting, author = (os.path.join(b.mapfs.point, "info", n) for n in ("settings.cfg", "author"))

    b.mapfs.mount(path)
    images = sorted(os.listdir(os.path.join(b.mapfs.point, "images")))
    ours, theirs = session(b, path, images, 20)
    b.mapfs.mount(path)
    pids = b.mapfs.processes()
    before = processor(pids)
    for i, png in enumerate(pngs):
        shutil.copyfile(png, os.path.join(b.mapfs.point, "images/%d_new%d.png" % (70 + i, i)))
    closes = processor(pids) - before
    inputs.write(setting, b"sv_x 1")
    looked = timed(os.stat, author)
    inputs.write(setting, b"sv_x 2")
    again = timed(os.stat, author)
    before = processor(pids)
    fsync(b.mapfs.point)
    saved = processor(pids) - before
    b.mapfs.unmount()
    n = len(pngs)
    return [Result("mount, 20 edits, unmount", "files+copy+sync", None, ours, theirs),
            Result("stat after second write", "after first", None, again, looked),
            Result("close of %d images, CPU" % n, "decode", 1.2, closes,
                   processor_of(run, limit, "decode", *pngs)),
            Result("save of these, CPU", "decode+compress", 1.2, saved,
                   processor_of(run, limit, "pack", *pngs))]


def retrieve_and_grep(b, program, folder):
    """What somebody without mapfs does: the settings of each map out of it, and a grep over those."""
    for name in os.listdir(folder):
        if name.endswith(".map"):
            run(program, os.path.join(folder, name), env=b.game())
    run("grep", "-r", "--include=*.cfg", "sv_", folder)


def searching(b):
    n, program = (100 if b.quick else 1000), tool("config_retrieve")
    folder, other = inputs.folder(b.path("maps"), n), inputs.folder(b.path("others"), n)

    def grep():
        subprocess.run("grep sv_ '%s'/*/info/settings.cfg" % b.mapfs.point, shell=True, check=True,
                       stdout=subprocess.DEVNULL)

    a, t = in_turns(min(3, b.rounds), lambda: b.mapfs.cold(folder, grep), lambda: timed(retrieve_and_grep, b, program, other))
    return [Result("grep, %d maps" % n, "config_retrieve", 10, a, t, least=True)]


def in_folder(b, folder, n, text):
    """Of one of n maps: the mount, the median of looks into maps that were not open, memory, the first change."""
    mount = timed(b.mapfs.mount, folder)
    looks = [timed(os.stat, os.path.join(b.mapfs.point, "map%05d.map/info/author" % i))
             for i in range(n // 2, n // 2 + 20)]
    memory = b.mapfs.worker_memory() / 1024
    change = timed(inputs.write, os.path.join(b.mapfs.point, "map%05d.map/info/author" % (n // 4)), text)
    b.mapfs.unmount()
    return mount, statistics.median(looks), memory, change


def growth(b):
    """A folder, and one ten times as large."""
    n, samples = (100 if b.quick else 1000), ([], [])
    folders = [(k, inputs.folder(b.path("maps%d" % k), k)) for k in (n, 10 * n)]
    for i in range(2 * b.rounds):
        for (k, folder), of in zip(folders, samples):
            of.append(in_folder(b, folder, k, b"author %d" % i))
    b.mapfs.mount(folders[1][1], "-o", "cache=64M")
    run("ls", *glob.glob(b.mapfs.point + "/*"))
    listed = b.mapfs.worker_memory() / 1024
    b.mapfs.unmount()
    small, large = ([statistics.median(s) for s in zip(*of)] for of in samples)
    words, less = "%d maps" % (10 * n), "%d maps" % n
    return [Result("mount, " + words, less, 1.2, large[0], small[0]),
            Result("lookup, " + words, less, 1.5, large[1], small[1]),
            Result("first change, " + words, less, None, large[3], small[3]),
            Result("memory, " + words, less, 1.2, large[2], small[2], "MiB"),
            Result("memory, all listed", "limit", 1, listed, 64 + 32, "MiB")]


def memory(b):
    map_ = inputs.wide_map(b.path("wide.map"), (40 if b.quick else 100) * MIB) if b.quick else \
        b.map_of(1024)
    b.mapfs.mount(map_, "-o", "cache=64M")
    read_all(files_below(b.mapfs.point))
    peak = b.mapfs.worker_memory() / 1024
    b.mapfs.unmount()
    return [Result("memory, %d MB read" % (os.path.getsize(map_) // MIB), "limit", 1, peak, 64 + 32, "MiB")]


def adding(b):
    """Files copied into an archive: ten times as many."""
    n, ms = (200 if b.quick else 7500), []
    for k in (n, 10 * n):
        mod, source = inputs.archive(b.path("SOME.MOD"), 10, 0), fresh(b.path("files"))
        for i in range(k):
            inputs.write(os.path.join(source, "N%05d.OGG" % i), b"sound %d" % i)
        b.mapfs.mount(mod)
        ms.append(timed(run, "cp", "-r", source, os.path.join(b.mapfs.point, "MEDIA/NEW")) +
                  timed(b.mapfs.unmount))
    return [Result("%d files added" % (10 * n), "%d files" % n, 11, ms[1], ms[0])]


ALL = [inflated, copying, table, images, extract, mounting, listing, archives, saving, editing, searching, growth, memory, adding]
