# SPDX-License-Identifier: Zlib
"""Commands, exit codes, and the ways to make and end a mount."""
import errno
import json
import os
import shutil
import signal
import subprocess

import pytest

import box as boxes
import datafile
import parts
import places

SETTINGS = "info/settings.cfg"


def one_line(r):
    return len(r.err.splitlines()) == 1 and r.err.startswith("mapfs: ")


def test_help_and_version_are_printed(box):
    r = box.run("--help")
    assert r.code == 0 and "MOUNTPOINT" in r.out and not r.err
    r = box.run("--version")
    assert r.code == 0 and "mapfs" in r.out


@pytest.mark.parametrize("args", [
    ["--no-such-option"], ["a", "b", "c"], ["-u"], ["-o"],
    ["-o", "nosuchoption", "a", "b"], ["-o", "raw=maybe", "a", "b"], ["-o", "cache=x", "a", "b"],
    ["--new", "--format=zz", "a", "b"], ["--help=x"], ["--new", "-u", "a"], ["-u", "-o", "ro", "a"],
    ["a", ""], ["", "b"], ["--format=triclon", "a", "b"]],
    ids=" ".join)
def test_wrong_usage_exits_with_1(box, args):
    r = box.run(*args)
    assert r.code == 1, r
    assert one_line(r), r


@pytest.mark.parametrize("args, words", [
    (["--new", "--format=zz", "a", "b"], ["zz", "teeworlds", "triclon", "torchlight-pak"]),
    (["--help=x"], ["--help"]), (["-xf"], ["-x"]), (["--nosuch"], ["--nosuch"]),
    (["-o", "raw=maybe", "a", "b"], ["raw", "maybe", "ro, rw or off"]),
    (["-o", "raw", "a", "b"], ["option raw needs a value (ro, rw or off)"]),
    (["-o", "uid", "a", "b"], ["option uid needs a value"]), (["-o", "ro=1", "a", "b"], ["option ro takes no value"]),
    (["-o", "mapres", "a", "b"], ["option mapres needs a value (see mapfs"]), (["-o", "raws=rw", "a", "b"], ['unknown option "raws=rw"']),
    (["a", ""], ["mount point"])], ids=str)
def test_wrong_usage_names_the_mistake_and_the_alternatives(box, args, words):
    r = box.run(*args)
    assert r.code == 1 and all(w in r.err for w in words), r


def test_an_empty_mount_point_is_not_the_current_directory(box, small):
    r = box.run(small, "", cwd=box.point())
    assert r.code == 1 and not boxes.mounts_below(box.root), r


def test_a_missing_file_exits_with_2(box):
    r = box.run(os.path.join(box.maps, "none.map"), box.point())
    assert r.code == 2 and one_line(r) and "none.map" in r.err, r


def test_a_missing_mount_point_exits_with_3(box, small):
    r = box.run(small, os.path.join(box.root, "none"))
    assert r.code == 3 and one_line(r), r


def test_a_mount_point_that_is_a_file_exits_with_3(box, small):
    r = box.run(small, box.add(b"x", "file"))
    assert r.code == 3 and one_line(r), r


@pytest.mark.parametrize("kind", ["teeworlds", "torchlight-pak"])
@pytest.mark.parametrize("point", ["missing", "taken", "a file"])
def test_a_new_map_that_cannot_be_mounted_is_not_left_behind(box, kind, point):
    new = os.path.join(box.maps, "new.map")
    args = ["--new", "--format=" + kind, new]
    if point == "missing":
        args.append(os.path.join(box.root, "none"))
    elif point == "a file":
        args.append(box.add(b"x", "file"))
    else:
        os.mkdir(new[:-4])
        boxes.put(os.path.join(new[:-4], "x"), b"x", os.O_WRONLY | os.O_CREAT)
    r = box.run(*args)
    assert r.code == 3 and one_line(r), r
    assert boxes.wait_for(lambda: not box.processes())
    assert box.beside() == (["new"] if point == "taken" else [])
    box.allow("new")
    # A second attempt works.
    m = boxes.Mount(box, new, box.point(), box.run(*args[:3], box.point()))
    assert m.result.code == 0, m.result
    m.unmount()
    box.allow("new.*")


def test_unmounting_a_path_without_mount_fails_in_one_line(box):
    r = box.run("-u", box.point())
    assert r.code in (1, 3) and one_line(r), r


def test_debugging_traces_the_requests_in_the_foreground(box, small):
    m, p = box.foreground(small, flag="-d")
    m.get("info/author")
    m.unmount()
    assert p.wait(90) == 0
    log = boxes.get(p.log).lower()
    assert b"lookup" in log and b"read" in log


def test_without_a_mount_point_a_directory_is_made_and_removed(box, small):
    r = box.run(small)
    point = small[:-len(".map")]
    m = boxes.Mount(box, small, point, r)
    assert r.code == 0, r
    assert m.mounted()
    m.put(SETTINGS, b"x 1\n")
    m.unmount()
    assert not os.path.exists(point)
    assert parts.settings(small) == b"x 1\0"


def test_mount_and_umount_are_commands_too(box, small):
    r = box.run("mount", "-o", "raw=off", small)
    m = boxes.Mount(box, small, small[:-len(".map")])
    assert r.code == 0 and m.mounted() and not os.path.exists(m / "raw"), r
    m.put(SETTINGS, b"x 1\n")
    r = box.run("umount", small)
    assert (r.code, r.out) == (0, "saved: %s\n" % SETTINGS) and not os.path.exists(m.point)
    assert parts.settings(small) == b"x 1\0"
    m = boxes.Mount(box, small, box.point(), box.run("mount", small, box.point()))
    m.put(SETTINGS, b"x 2\n")
    r = box.run("umount", "--discard", m.point)
    assert r.code == 0 and not m.mounted() and parts.settings(small) == b"x 1\0"
    # A path that is equal to a command needs a directory.
    os.rename(small, os.path.join(box.maps, "mount"))
    r = box.run("./mount", box.point(), cwd=box.maps)
    assert r.code == 0 and m.mounted()
    m.unmount()
    os.rename(os.path.join(box.maps, "mount"), small)


def test_an_existing_mount_point_is_kept(box, small):
    m = box.mount(small)
    m.unmount()
    assert os.path.isdir(m.point)


def test_options_may_follow_the_file_and_mount_point(box, small):
    r = box.run(small, box.point(), "-o", "rw,dev,suid,raw=off,noatime")
    m = boxes.Mount(box, small, box.point(), r)
    assert r.code == 0, r
    assert not os.path.exists(m / "raw")
    m.put(SETTINGS, b"x 1\n")
    m.unmount()


def test_options_of_fstab_are_accepted(box, small):
    m = box.mount(small, "user,noauto,nofail,_netdev,x-systemd.automount,exec,async")
    m.unmount()


def test_owner_and_mask_options_apply(box, small):
    # not 077: that would exclude a user other than 1234
    os.chmod(small, 0o666)
    m = box.mount(small, "uid=1234,gid=4321,umask=022")
    st = os.stat(m / SETTINGS)
    assert (st.st_uid, st.st_gid, st.st_mode & 0o777) == (1234, 4321, 0o644)
    m.unmount()


@pytest.mark.parametrize("umask, file, directory", [
    ("0", 0o640, 0o750), ("027", 0o640, 0o750), ("077", 0o600, 0o700), ("0222", 0o440, 0o550)])
def test_a_mask_removes_permissions_and_adds_none(box, small, umask, file, directory):
    os.chmod(small, 0o640)
    m = box.mount(small, "umask=" + umask)
    assert os.stat(m / SETTINGS).st_mode & 0o7777 == file
    assert os.stat(m / "info").st_mode & 0o7777 == directory
    m.unmount()


def test_files_and_directories_have_separate_masks(box, small):
    os.chmod(small, 0o664)
    m = box.mount(small, "auto_unmount,fsname=x,subtype=y,kernel_cache,fmask=0137,dmask=0027")
    assert os.stat(m / SETTINGS).st_mode & 0o7777 == 0o640
    assert os.stat(m / "info").st_mode & 0o7777 == 0o750
    m.unmount()


def test_a_name_that_is_too_long_gives_enametoolong(box, small):
    m = box.mount(small)
    r = box.run(m / "groups/0_Game/layers/1_ground", m / "groups/0_Game/layers/1_much_too_long_a_name",
                program="mv")
    assert r.code == 1 and os.strerror(errno.ENAMETOOLONG) in r.err, r
    m.unmount()


def test_a_mount_reports_attributes_that_a_save_cannot_keep(box, root, small):
    os.setxattr(small, "user.kept", b"1")
    os.setxattr(small, "trusted.lost", b"1")
    m = box.mount(small)
    assert one_line(m.result) and "trusted.lost" in m.result.err and "user" not in m.result.err
    m.put(SETTINGS, b"x 1\n")
    m.unmount()
    assert os.getxattr(small, "user.kept") == b"1"
    assert boxes.refused(os.getxattr, small, "trusted.lost") != 0
    m = box.mount(small, "ro")
    assert not m.result.err
    m.unmount()


def test_the_mount_table_names_the_map_and_the_type(box):
    m = box.mount(box.add(datafile.small_map(), "a, b\\c.map"))
    with open("/proc/self/mountinfo") as f:
        line, = [i for i in f if i.split()[4] == m.point]
    kind, source = line.split(" - ")[1].split()[:2]
    assert kind == "fuse.mapfs"
    assert source.encode().decode("unicode_escape") == m.map
    m.unmount()


def test_a_mount_point_may_contain_blanks_and_newlines(box, small):
    m = box.mount(small, point=box.point("a b\nc"))
    with open("/proc/self/mountinfo") as f:
        assert "a\\040b\\012c" in f.read()
    m.put(SETTINGS, b"x 1\n")
    m.unmount()
    assert parts.settings(small) == b"x 1\0"


def test_unmounting_prints_the_saved_files(box, small):
    m = box.mount(small)
    m.put(SETTINGS, b"x 1\n")
    r = m.unmount()
    assert "saved" in r.out and SETTINGS in r.out


def test_a_plain_unmount_saves_after_it_returns(box, small):
    m = box.mount(small)
    m.put(SETTINGS, b"x 1\n")
    tool = [shutil.which("fusermount3") or "fusermount3", "-u"]
    subprocess.run(tool + [m.point], check=True)
    assert boxes.wait_for(lambda: parts.settings(small) == b"x 1\0")
    assert boxes.wait_for(lambda: not box.processes())


def test_a_plain_unmount_rescues_refused_files(box, small):
    m = box.mount(small)
    assert boxes.refused(m.put, "info/author", b"one\ntwo\n") != 0
    subprocess.run(["fusermount3", "-u", m.point], check=True)
    assert boxes.wait_for(lambda: not box.processes())
    assert boxes.get(small + ".mapfs-left/info/author") == b"one\ntwo\n"
    box.allow("*.mapfs-left")


# A private /sbin covers the real one: mount and umount find the helpers there, and the machine stays unchanged.
PRIVATE = """
set -e
mkdir -p "$ROOT/up" "$ROOT/work"
mount -t overlay overlay -o lowerdir=/usr/sbin,upperdir="$ROOT/up",workdir="$ROOT/work" /usr/sbin
for name in mapfs mount.fuse.mapfs mount.mapfs umount.fuse.mapfs; do ln -sf "$MAPFS" "/usr/sbin/$name"; done
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
"""


def in_private_sbin(box, script, **env):
    """Run a shell script with installed helpers. Skips if that is impossible."""
    env = dict(env, ROOT=box.root, MAPFS=places.BINARY, POINT=box.point())
    probe = box.run("-m", "sh", "-c", PRIVATE, program="unshare", env=env)
    if probe.code:
        pytest.skip("no private /sbin can be made: " + probe.err.strip())
    return box.run("-m", "sh", "-c", PRIVATE + "set +e\n" + script, program="unshare", env=env)


def test_installing_puts_the_helpers_where_mount_and_umount_look(box):
    build = os.path.dirname(os.path.dirname(places.BINARY))
    try:
        with open(os.path.join(build, "meson-info/intro-installed.json")) as f:
            installed = json.load(f)
        with open(os.path.join(build, "meson-info/intro-buildoptions.json")) as f:
            options = {o["name"]: o["value"] for o in json.load(f)}
    except OSError as e:
        pytest.skip("not in a build directory of meson: %s" % e)
    if options["prefix"] not in ("/usr", "/usr/local") or options["sbindir"] != "sbin":
        pytest.skip("set up for prefix %s and sbindir %s" % (options["prefix"], options["sbindir"]))
    for name in ("mount.fuse.mapfs", "mount.mapfs", "umount.fuse.mapfs"):
        assert installed[name] == "/sbin/" + name


# For an absolute path, root's umount looks in /run/mount/utab for the full type, and without an entry there it only
# runs umount.fuse. For a relative path it reads the mount table.
@pytest.mark.parametrize("path", ['"$POINT"', '"${POINT##*/}"'], ids=["absolute", "relative"])
def test_umount_saves_before_it_returns(box, root, small, path):
    r = in_private_sbin(box, """
        mapfs "$MAP" "$POINT" || exit 10
        echo "x 1" > "$POINT/info/settings.cfg" || exit 11
        cd "${POINT%/*}" && umount %s || exit 12
        cp "$MAP" "$ROOT/right-after"
    """.replace("%s", path), MAP=small)
    assert r.code == 0, r
    assert parts.settings(os.path.join(box.root, "right-after")) == b"x 1\0"
    assert "saved" in r.out + r.err  # the report comes from our helper


def is_in_utab(point):
    with open("/run/mount/utab", encoding="utf-8", errors="surrogateescape") as f:
        return " TARGET=%s " % point.replace(" ", "\\040") in f.read()


@pytest.mark.parametrize("how", [[places.BINARY, "-u"], ["umount", "-i"], ["fusermount3", "-u"]], ids=["mapfs", "umount", "fusermount3"])
def test_utab_has_an_entry_while_the_mount_exists(box, root, small, how):
    m = box.mount(small, point=box.point("two words"))
    assert is_in_utab(m.point)
    subprocess.run(how + [m.point], check=True, timeout=90)
    assert boxes.wait_for(lambda: not box.processes())
    assert not is_in_utab(m.point)


def test_umount_returns_the_exit_code_of_the_save(box, root, small):
    r = in_private_sbin(box, """
        mapfs "$MAP" "$POINT" || exit 10
        printf 'one\\ntwo\\n' > "$POINT/info/author"
        cd "${POINT%/*}" && umount "${POINT##*/}"
        echo "umount gave $?"
        mountpoint -q "$POINT" && exit 13
        exit 0
    """, MAP=small)
    assert r.code == 0, r
    assert "umount gave 5" in r.out
    box.allow("*.mapfs-left")


@pytest.mark.parametrize("options", ["rw", "ro,nofail", "raw=off,noatime"])
@pytest.mark.parametrize("kind, helper", [("fuse.mapfs", "ours"), ("mapfs", "ours"), ("fuse.mapfs", "libfuse's")])
def test_mount_works_with_the_type(box, root, small, options, kind, helper):
    r = in_private_sbin(box, """
        [ "$HELPER" = ours ] || rm /usr/sbin/mount.fuse.mapfs
        mount -t "$KIND" "$MAP" "$POINT" -o "$OPTIONS" || exit 10
        cat "$POINT/info/author" || exit 11
        umount "$POINT" || exit 12
    """, MAP=small, OPTIONS=options, KIND=kind, HELPER=helper)
    assert r.code == 0, r
    assert r.out.startswith("nobody\n")


def test_an_fstab_line_works(box, root, small):
    table = os.path.join(box.root, "fstab")
    with open(table, "w") as f:
        f.write("%s %s fuse.mapfs noauto,user,nofail,umask=022 0 0\n" % (small, box.point()))
    r = in_private_sbin(box, """
        mount -T "$TABLE" "$POINT" || exit 10
        echo "x 1" > "$POINT/info/settings.cfg" || exit 11
        umount "$POINT" || exit 12
    """, TABLE=table)
    assert r.code == 0, r
    assert parts.settings(small) == b"x 1\0"


def test_a_map_mounted_beside_itself_is_not_mounted_again(box, small):
    assert box.run(small).code == 0
    try:
        r = box.run(small)
        assert r.code == 7
        assert r.err == "mapfs: %s: already mounted at %s\n" % (small, os.path.splitext(small)[0])
    finally:
        assert box.run("-u", small).code == 0


@pytest.mark.parametrize("kind", ["map", "folder"])
def test_a_directory_inside_a_mount_is_refused_as_folder_of_maps(box, small, kind):
    m = box.mount(small if kind == "map" else box.maps)
    inside = m / ("images" if kind == "map" else "small.map")
    for shown, *point in ([m.point], [m.point + "/"], [m.point, box.point("other")], [inside]):
        r = box.run(shown, *point)
        assert (r.code, r.err) == (2, "mapfs: %s: is not a folder of maps, but a mount of %s at %s\n" % (
            shown, m.map, m.point))
    assert boxes.mounts_below(box.root) == [m.point]
    assert os.listdir(box.points) in (["m", "other"], ["other", "m"])  # and no m.mapfs
    m.unmount()


def test_a_mount_without_standard_streams_saves(box, small):
    # Without standard streams, the map could get one of their descriptors, and messages must not go into it.
    r = box.run("-c", '"$0" "$1" "$2" <&- >&- 2>&-', places.BINARY, small, box.point(),
                program="sh")
    m = boxes.Mount(box, small, box.point(), r)
    assert r.code == 0
    m.put(SETTINGS, b"x 1\n")
    m.unmount()
    assert parts.settings(small) == b"x 1\0"


def test_the_mount_closes_the_output_pipe_of_the_caller(box, small):
    # $(mapfs ...) must return while the mount stays.
    p = subprocess.run([places.BINARY, small, box.point()], stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=box.env(), timeout=90)
    m = boxes.Mount(box, small, box.point())
    assert p.returncode == 0
    m.unmount()


def test_the_mount_closes_other_descriptors_of_the_caller(box, small):
    # x=$(mapfs m.map mnt 5>&1) and flock(1) wait until the last descriptor is closed.
    ends = os.pipe()
    argv = [places.BINARY, small, box.point()]
    subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=box.env(),
                   pass_fds=[ends[1]], check=True, timeout=90)
    m = boxes.Mount(box, small, box.point())
    os.close(ends[1])
    os.set_blocking(ends[0], False)
    assert os.read(ends[0], 1) == b""  # end of file; EAGAIN while another process holds the other end
    os.close(ends[0])
    m.unmount()


def test_the_worker_drops_unneeded_capabilities(box, root, small):
    m = box.mount(small)
    worker = box.worker()
    needed = 1 << 0 | 1 << 1 | 1 << 3  # CHOWN, DAC_OVERRIDE, FOWNER
    for field in ("CapEff", "CapPrm", "CapBnd"):
        assert int(boxes.status_field(worker, field), 16) & ~needed == 0, field
    m.unmount()


def test_a_mount_waits_for_a_save_that_continues_after_an_unmount(box, small):
    """As for every FUSE mount, fusermount3 -u returns before the save ends."""
    m = box.mount(small)
    m.put("info/author", b"somebody\n")
    worker = box.worker()
    os.kill(worker, signal.SIGSTOP)
    subprocess.run(["fusermount3", "-u", m.point], check=True)
    out = os.path.join(box.root, "waiting")
    with open(out, "wb") as f:
        p = subprocess.Popen([places.BINARY, small, m.point], stdout=f, stderr=f, stdin=subprocess.DEVNULL, env=box.env())
    assert boxes.wait_for(lambda: b"is being saved" in boxes.get(out)), boxes.get(out)
    assert p.poll() is None
    os.kill(worker, signal.SIGCONT)
    assert p.wait(30) == 0, boxes.get(out)
    assert m.get("info/author") == b"somebody\n"
    m.unmount()


def test_a_mount_does_not_wait_for_a_mounted_folder_with_the_map(box, small):
    folder = box.mount(os.path.dirname(small), point=box.point("folder"))
    boxes.put(os.path.join(folder.point, "small.map/info/author"), b"somebody\n")
    r = box.run("-o", "rw", small, box.point("one"))
    assert r.code == 7 and "is mounted for writing" in r.err and "on " + folder.point in r.err, r
    assert "is being saved" not in r.err
    folder.unmount()
