# SPDX-License-Identifier: Zlib
"""Mounts with too few descriptors, processes or pages report the reason, end on request, and lose nothing."""
import errno
import os
import pwd
import resource
import socket
import subprocess

import pytest

import box as boxes
import folder
import parts
import places
from folder import AUTHOR


def limited(box, limit, *args):
    """Run mapfs below a limit of the shell's ulimit, such as "-n 13"."""
    return box.run("-c", 'ulimit %s && exec "$0" "$@"' % limit, places.BINARY, *args, program="sh")


def use_up_descriptors(pid):
    """Limit a process to its present descriptors: it gets no further one."""
    used = {int(n) for n in os.listdir("/proc/%d/fd" % pid)}
    first = next(n for n in range(len(used) + 1) if n not in used)
    _, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (first, hard))
    return lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (hard, hard))


def test_an_unchanged_map_can_be_unmounted_without_a_free_descriptor(box, small):
    m = box.mount(small)
    use_up_descriptors(box.worker())
    m.unmount()


def test_a_save_without_a_free_descriptor_succeeds_or_gives_a_reason(box, small):
    m = box.mount(small)
    m.put(AUTHOR, b"me\n")
    allow = use_up_descriptors(box.worker())
    r = box.run("-u", m.point)
    assert r.code == 0 or (r.code == 4 and os.strerror(errno.EMFILE) in r.out + r.err), r
    if r.code:
        allow()
        m.unmount()
    assert parts.author(small) == b"me\0"


def test_a_client_is_served_after_another_one_disconnects(box, small):
    m = box.mount(small)
    st = os.stat(m.point).st_dev
    use_up_descriptors(box.worker())
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as first:
        first.connect("\0mapfs/%d:%d" % (os.major(st), os.minor(st)))
        p = subprocess.Popen([places.BINARY, "-u", m.point], env=box.env(),
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        # The worker still answers file requests.
        assert m.get("info/author")
    out, _ = p.communicate(timeout=120)
    assert p.returncode == 0, out


@pytest.mark.parametrize("n", range(4, 24))
def test_a_mount_with_few_descriptors_works_or_gives_a_reason(box, small, n):
    r = limited(box, "-n %d" % n, small, box.point())
    if r.code:
        assert os.strerror(errno.EMFILE) in r.err and "died" not in r.err, r
        return
    m = boxes.Mount(box, small, box.point())
    kept = not boxes.refused(m.put, AUTHOR, b"me\n")
    r = box.run("-u", m.point)
    if r.code:
        assert r.code in (4, 5) and m.mounted() and os.strerror(errno.EMFILE) in r.out + r.err, r
        box.kill_worker()
        m = box.mount(small)
        m.unmount()
    assert not kept or parts.author(small) == b"me\0"


def test_a_folder_with_few_descriptors_saves_all_confirmed_closes(box):
    folder.many(box, 80)
    names = sorted(os.listdir(box.maps))
    r = limited(box, "-n 100", box.maps, box.point())
    assert r.code == 0, r
    m = boxes.Mount(box, box.maps, box.point(), r)
    for name in names:  # opened, and not used any more
        os.listdir(m / name + "/info")
    failed = {name: boxes.refused(m.put, name + "/" + AUTHOR, b"me\n") for name in names}
    done = [name for name in names if not failed[name]]
    assert set(failed.values()) <= {0, errno.EMFILE}
    assert 25 <= len(done) < len(names), failed
    assert m.get(done[0] + "/" + AUTHOR) == b"me\n"
    m.unmount()
    for name in done:
        assert parts.author(os.path.join(box.maps, name)) == b"me\0"


@pytest.mark.parametrize("limit, words", [
    ("-s 64", ["a mount needs a stack of", "ulimit -s"]),
    pytest.param("-v 20000", ["Cannot allocate memory", "cannot start a thread"], marks=pytest.mark.skipif(
        any("asan" in s for s in places.sanitizers()), reason="AddressSanitizer reserves more"))])
def test_a_mount_that_a_limit_prevents_names_the_limit(box, small, limit, words):
    r = limited(box, limit, small, box.point())
    assert r.code == 3 and "died" not in r.err, r
    assert any(w in r.err for w in words), r


def owner(pid):
    """The user of a process, or None if it has ended."""
    try:
        return os.stat("/proc/" + pid).st_uid
    except FileNotFoundError:
        return None


@pytest.fixture
def user(box, root):
    """A function that runs a shell script as a user without other processes, because the limit counts all processes
    of a user."""
    boxes.needs("setpriv", "prlimit")
    busy = {owner(pid) for pid in os.listdir("/proc") if pid.isdigit()}
    free = [p for p in pwd.getpwall() if p.pw_uid not in busy]
    if not free:
        pytest.skip("each user has a process")
    uid = free[-1].pw_uid

    def run(script, **env):
        return box.run("--reuid", str(uid), "--regid", str(uid), "--clear-groups", "sh", "-c", script,
                       program="setpriv", env=dict(env, MAPFS=places.BINARY, POINT=box.point()))
    run.uid = uid
    for path in (box.maps, box.point(), box.home, box.logs):
        os.chown(path, uid, uid)
    boxes.needs_user_mounts(run)
    return run


@pytest.mark.parametrize("new", [False, True])
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_a_mount_without_a_free_process_reports_it(box, small, user, n, new):
    path = os.path.join(box.maps, "new.map") if new else small
    os.chown(small, user.uid, user.uid)
    r = user('exec prlimit --nproc=%d "$MAPFS" %s "$MAP" "$POINT"' % (n, "--new" if new else ""), MAP=path)
    if r.code == 0:
        assert user('"$MAPFS" -u "$POINT"').code == 0
        box.allow("new.map")
        return
    assert r.code == 3 and os.strerror(errno.EAGAIN) in r.err, r


def test_an_unmount_without_a_free_process_reports_it(box, small, user):
    os.chown(small, user.uid, user.uid)
    assert user('"$MAPFS" "$MAP" "$POINT"', MAP=small).code == 0
    r = user('exec prlimit --nproc=1 "$MAPFS" -u "$POINT"')
    assert r.code == 3 and "cannot unmount: " in r.err and os.strerror(errno.EAGAIN) in r.err, r
    assert boxes.is_mounted(box.point())
    r = user('"$MAPFS" -u "$POINT"')
    assert r.code == 0, r
