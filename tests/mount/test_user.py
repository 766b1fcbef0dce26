# SPDX-License-Identifier: Zlib
"""mapfs as an ordinary user: the tests of root run the program as the user nobody, who must be able to do the
same."""
import os

import pytest

import box as boxes
import datafile
import parts
import places

NOBODY = 65534


@pytest.fixture
def user(box, root):
    """A function that runs a shell script as nobody, in the directories of the box. Skips if nobody cannot mount."""
    boxes.needs("setpriv")
    for path in (box.maps, box.point(), box.home, box.logs):
        os.chown(path, NOBODY, NOBODY)
    drop = ["--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]

    def run(script, **env):
        env = {k: str(v) for k, v in env.items()}
        env.update(MAPFS=places.BINARY, POINT=box.point())
        return box.run(*drop, "sh", "-c", script, program="setpriv", env=env)
    boxes.needs_user_mounts(run)
    return run


def owned(box, mode=0o644):
    path = box.add(datafile.small_map())
    os.chown(path, NOBODY, NOBODY)
    os.chmod(path, mode)
    return path


CHANGE = """
    "$MAPFS" "$MAP" "$POINT" || exit 10
    grep -q nobody "$POINT/info/author" || exit 11
    echo "x 1" > "$POINT/info/settings.cfg" || exit 12
    "$MAPFS" -u "$POINT" || exit 13
"""


def test_an_ordinary_user_can_mount_change_and_save(box, user):
    path = owned(box, 0o600)
    r = user(CHANGE, MAP=path)
    assert r.code == 0, r
    assert parts.settings(path) == b"x 1\0"
    st = os.stat(path)
    assert (st.st_uid, st.st_gid, st.st_mode & 0o777) == (NOBODY, NOBODY, 0o600)


def test_mounting_works_without_fusermount_in_path(box, user):
    """libfuse knows the path of fusermount. The script looks up its own commands first."""
    path = owned(box)
    r = user('G=$(command -v grep); PATH=/nonexistent; export PATH; %s' % CHANGE.replace("grep", '"$G"'), MAP=path)
    assert r.code == 0, r
    assert parts.settings(path) == b"x 1\0"


def test_an_unwritable_map_is_read_only_with_a_message(box, user):
    path = owned(box, 0o444)
    raw = boxes.get(path)
    r = user(CHANGE, MAP=path)
    assert "read-only" in r.out + r.err
    assert r.code == 12, r
    r = user('"$MAPFS" -u "$POINT"')
    assert r.code == 0, r
    assert boxes.get(path) == raw


def test_an_unwritable_directory_makes_the_mount_read_only_too(box, user):
    path = owned(box)
    os.chown(box.maps, 0, 0)
    os.chmod(box.maps, 0o755)
    r = user(CHANGE, MAP=path)
    assert "read-only" in r.out + r.err
    assert r.code == 12, r
    assert user('"$MAPFS" -u "$POINT"').code == 0


def test_a_failed_mount_prints_no_read_only_message(box, user):
    path = owned(box, 0o444)
    foreign = box.point("foreign")  # owned by root: fusermount3 refuses it
    r = user('"$MAPFS" "$MAP" "$FOREIGN"', MAP=path, FOREIGN=foreign)
    assert r.code == 3 and len(r.err.splitlines()) == 1, r
    assert "read-only" not in r.err


def test_an_unreadable_map_is_refused(box, user):
    path = box.add(datafile.small_map())
    os.chmod(path, 0o600)
    r = user('"$MAPFS" "$MAP" "$POINT"', MAP=path)
    assert r.code == 2 and len(r.err.splitlines()) == 1, r


def test_pack_names_each_directory_that_cannot_be_listed(box, user):
    path = owned(box)
    before = boxes.get(path)
    r = user('"$MAPFS" extract -o raw=off "$MAP" "$HOME/tree" && chmod 444 "$HOME/tree/images" "$HOME/tree/groups" && '
             '"$MAPFS" pack "$HOME/tree" --onto "$MAP"', MAP=path, HOME=box.home)
    assert r.code == 2 and boxes.get(path) == before, r
    assert r.err == "".join("mapfs: %s/tree/%s: Permission denied\n" % (box.home, d) for d in ("groups", "images")), r


def test_other_users_cannot_enter_the_mount(box, user):
    path = owned(box)
    r = user('"$MAPFS" "$MAP" "$POINT" && cat "$POINT/info/author"', MAP=path)
    assert r.code == 0 and r.out.endswith("nobody\n"), r
    # FUSE by default excludes even root.
    assert boxes.refused(os.listdir, box.point()) != 0
    assert user('"$MAPFS" -u "$POINT"').code == 0


def test_a_saved_file_of_a_foreign_group_gains_no_permission(box, user):
    path = owned(box, 0o660)
    os.chown(path, NOBODY, 4321)
    r = user(CHANGE, MAP=path)
    assert r.code == 0, r
    st = os.stat(path)
    assert st.st_uid == NOBODY
    # nobody cannot set this group, so the save drops it, and its permission bits too.
    assert st.st_gid == 4321 or st.st_mode & 0o070 == 0


def test_a_signal_saves_for_an_ordinary_user_too(box, user):
    path = owned(box)
    r = user("""
        "$MAPFS" -f "$MAP" "$POINT" & pid=$!
        for i in $(seq 200); do test -e "$POINT/info/author" && break; sleep 0.05; done
        echo "x 1" > "$POINT/info/settings.cfg" || exit 12
        kill -TERM $pid
        wait $pid
    """, MAP=path)
    assert r.code == 0, r
    assert parts.settings(path) == b"x 1\0"
    assert not boxes.is_mounted(box.point())


def test_a_created_mount_point_is_removed_even_if_root_ends_the_mount(box, user):
    path = owned(box)
    point = path[:-len(".map")]
    assert user('"$MAPFS" "$MAP"', MAP=path).code == 0 and boxes.is_mounted(point)
    assert box.run("-u", point).code == 0
    assert boxes.wait_for(lambda: not os.path.lexists(point))
