# SPDX-License-Identifier: Zlib
"""The files that `meson install` writes, and whether they work there."""
import os
import re
import shutil
import subprocess

import pytest

import share
from box import needs, needs_namespaces

BUILD = os.environ["MAPFS_BUILD_DIR"]
ENTRIES = ("mapfs", "mapfs-save", "mapfs-discard")
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


# Commands with a manual page: their own, or a link to that of their group.
COMMANDS = ("ls", "cat", "extract", "put", "rm", "mv", "pack", "index", "automap", "convert", "cp", "edit", "tidy", "du", "grep",
            "check", "text",
            "diff", "merge", "preview")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """An installation below another root."""
    needs("meson")
    to = str(tmp_path_factory.mktemp("root"))
    r = subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", to],
                       capture_output=True, text=True)
    assert r.returncode == 0, r.stdout + r.stderr
    if not os.path.exists(to + "/usr/local/bin/mapfs"):
        pytest.skip("the prefix of this build is not /usr/local")
    return to


@pytest.fixture(scope="module")
def package(root, tmp_path_factory):
    """The tree that the Debian package makes of an installation below /usr, without debhelper."""
    needs("make")
    top = tmp_path_factory.mktemp("package")
    tree = top / "debian/mapfs"
    tree.mkdir(parents=True)
    shutil.copytree(root + "/usr/local", tree / "usr", symlinks=True)
    r = subprocess.run(["make", "-s", "-f", os.path.abspath(os.path.join(SOURCE, "contrib/debian/rules")),
                        "execute_after_dh_auto_install"], cwd=top, capture_output=True, text=True)
    assert r.returncode == 0, r
    return str(tree)


# The function path of zsh, below another root.
ZSH = """
autoload -Uz +X _mapfs 2>/dev/null && exit 9
fpath=(${fpath/#/$ROOT} $fpath)
autoload -Uz compinit && compinit -D -u && print -- $_comps[mapfs]
autoload -Uz +X _mapfs && print -- $functions_source[_mapfs]
"""


@pytest.mark.parametrize("tree", ["root", "package"])
def test_zsh_finds_its_completion(request, tree):
    needs("zsh")
    if not os.path.exists("/etc/debian_version"):
        pytest.skip("zsh of this system has another function path")
    top = request.getfixturevalue(tree)
    r = subprocess.run(["zsh", "-f", "-c", ZSH], env=dict(os.environ, ROOT=top), capture_output=True, text=True)
    if r.returncode == 9:
        pytest.skip("mapfs's completion is installed here")
    function, _, source = r.stdout.partition("\n")
    assert function == "_mapfs" and source.startswith(top) and not r.stderr, r


@pytest.mark.parametrize("tree, prefix", [("root", "/usr/local"), ("package", "/usr")])
def test_fish_finds_its_completion(request, tmp_path, tree, prefix):
    needs("fish")
    top = request.getfixturevalue(tree) + prefix
    env = dict(os.environ, HOME=str(tmp_path), XDG_DATA_DIRS=top + "/share", TERM="xterm", LC_ALL="C.UTF-8",
               PATH="%s/bin:%s" % (top, os.environ["PATH"]))
    r = subprocess.run(["fish", "-c", 'complete -C "mapfs st"'], env=env, capture_output=True, text=True, timeout=60)
    assert "status" in r.stdout.split() and not r.stderr, r


def test_the_installation_has_exactly_the_expected_files(root):
    prefix = root + "/usr/local"
    found = {os.path.relpath(os.path.join(at, name), root) for at, _, names in os.walk(root) for name in names}
    found = {name for name in found if not name.startswith("usr/local/share/doc/mapfs/")}
    assert found == {
        "usr/local/bin/mapfs",
        "sbin/mount.mapfs", "sbin/mount.fuse.mapfs", "sbin/umount.fuse.mapfs",
        "usr/local/share/man/man1/mapfs.1", "usr/local/share/man/man5/mapfs.5", "usr/local/share/man/man1/mapfs-open.1",
        *("usr/local/share/man/man1/mapfs-%s.1" % name for name in COMMANDS),
        "usr/local/share/man/man8/mount.fuse.mapfs.8",
        "usr/local/share/man/man8/mount.mapfs.8", "usr/local/share/man/man8/umount.fuse.mapfs.8",
        "usr/local/lib/systemd/user/mapfs@.service",
        "usr/local/bin/mapfs-open", "usr/local/share/mime/packages/mapfs.xml",
        "usr/local/share/thumbnailers/mapfs.thumbnailer",
        *("usr/local/share/applications/%s.desktop" % name for name in ENTRIES),
        "usr/local/share/bash-completion/completions/mapfs", "usr/local/share/zsh/site-functions/_mapfs",
        "usr/local/share/fish/vendor_completions.d/mapfs.fish",
        "usr/local/share/icons/hicolor/scalable/apps/mapfs.svg", "usr/local/share/metainfo/mapfs.metainfo.xml",
    }
    for name in ("mount.mapfs", "mount.fuse.mapfs", "umount.fuse.mapfs"):
        assert os.readlink(root + "/sbin/" + name) == "/usr/local/bin/mapfs"
        assert os.path.exists(prefix + "/share/man/man8/" + name + ".8")  # each link has a target
    assert subprocess.run([prefix + "/bin/mapfs", "--version"]).returncode == 0


# Paths of the sources that the installed documentation includes. All other named paths exist in the sources only.
NAMED = re.compile(r"`((?:docs|contrib/git|contrib/ci|tests/examples)(?:/[\w./-]*)?)(?: [^`]*)?`")


def links(page):
    """The (target as written, path) pairs of links on a page."""
    with open(page, encoding="utf-8") as f:
        text = f.read()
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if not re.match(r"\w+:", target):
            yield target, os.path.join(os.path.dirname(page), target)


def dead_links(share):
    """Targets that the documentation in a directory `share` names and that are not installed."""
    top = share + "/doc/mapfs"
    pages = [os.path.join(at, name) for at, _, names in os.walk(top) for name in names if name.endswith(".md")]
    assert len(pages) > 10 and top + "/README.md" in pages
    dead = []
    for page in pages:
        dead += [(page, target) for target, path in links(page) if not os.path.exists(path)]
        with open(page, encoding="utf-8") as f:
            for name in NAMED.findall(f.read()):
                manual = re.fullmatch(r"docs/(.*\.([158]))", name)
                path = "%s/man/man%s/%s" % (share, manual[2], manual[1]) if manual else os.path.join(top, name)
                if "NAME" not in name and not os.path.exists(path) and not os.path.exists(path + ".gz"):
                    dead.append((page, name))
    return dead


@pytest.mark.parametrize("tree, prefix", [("root", "/usr/local"), ("package", "/usr")])
def test_targets_of_the_installed_documentation_are_installed(request, tree, prefix):
    assert dead_links(request.getfixturevalue(tree) + prefix + "/share") == []


def test_git_accepts_the_installed_configuration(root, tmp_path):
    needs("git")
    config = root + "/usr/local/share/doc/mapfs/contrib/git/config"
    env = dict(os.environ, HOME=str(tmp_path), XDG_CONFIG_HOME=str(tmp_path), GIT_CONFIG_NOSYSTEM="1")
    subprocess.run(["git", "config", "--global", "include.path", config], env=env, check=True)
    r = subprocess.run(["git", "config", "--get", "merge.mapfs.driver"], env=env, capture_output=True, text=True)
    assert r.stdout.startswith("mapfs merge ")
    text = open(config, encoding="utf-8").read()
    assert [path for path in re.findall(r"/usr/[\w./-]+", text)] == []


def test_man_shows_every_page_without_warnings(root):
    needs("man")
    for page in ("man1/mapfs.1", "man5/mapfs.5", "man1/mapfs-open.1", "man8/mount.fuse.mapfs.8",
                 *("man1/mapfs-%s.1" % name for name in COMMANDS)):
        r = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", os.path.join(root, "usr/local/share/man", page)],
                           capture_output=True, text=True, env=dict(os.environ, MANWIDTH="80", LC_ALL="C.UTF-8"))
        assert r.returncode == 0 and r.stderr == ""
        assert "SEE ALSO" in r.stdout


# The user instance wants to see systemd, so a private /run has its directory. The process namespace ends with the
# script and takes all processes with it.
UNIT = """
set -e
export XDG_RUNTIME_DIR="$DIR/run" XDG_CONFIG_HOME="$DIR/config"
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system "$XDG_RUNTIME_DIR" "$XDG_CONFIG_HOME/systemd/user"
chmod 700 "$XDG_RUNTIME_DIR"
sed "s|=/usr/local/bin/mapfs|=$ROOT/usr/local/bin/mapfs|" "$ROOT/usr/local/lib/systemd/user/mapfs@.service" \\
	>"$XDG_CONFIG_HOME/systemd/user/mapfs@.service"
systemd --user >"$DIR/log" 2>&1 &
for _ in $(seq 100); do systemctl --user is-system-running >/dev/null 2>&1 && break; sleep 0.1; done
systemctl --user show-environment >/dev/null || exit 9
unit=mapfs@$(systemd-escape --path "$MAP").service
systemctl --user start "$unit" || exit 10
systemctl --user is-active "$unit" || exit 11
echo 'tune gravity 0.25' >>"${MAP%.map}/info/settings.cfg"
[ -z "$SPOIL" ] || ! printf '%s' "$SPOIL" 2>/dev/null >"${MAP%.map}/info/author"
systemctl --user stop "$unit" || exit 12
! mountpoint -q "${MAP%.map}" || exit 13
systemctl --user show "$unit" -p ActiveState
"""


@pytest.mark.parametrize("spoil", ["", "two\nlines\n"], ids=["clean", "with a draft"])
def test_stopping_the_unit_saves(root, tmp_path, spoil):
    needs("systemd", "systemctl")
    needs_namespaces("-mpf", "--mount-proc")
    if os.geteuid() != 0:
        pytest.skip("needs root")
    if not os.path.exists("/dev/fuse"):
        pytest.skip("no /dev/fuse")
    path = str(tmp_path / "demo.map")
    subprocess.run([os.environ["MAPFS_DEMO"], path], check=True)
    before = open(path, "rb").read()
    r = subprocess.run(["timeout", "60", "unshare", "-mpf", "--mount-proc", "sh", "-c", UNIT],
                       env=dict(os.environ, DIR=str(tmp_path), ROOT=root, MAP=path, SPOIL=spoil),
                       capture_output=True, text=True)
    if r.returncode == 9:
        pytest.skip("no user instance of systemd starts here")
    assert r.returncode == 0, r
    # Exit code 5 (some changes were not saved) makes the unit fail, so that an administrator sees it.
    assert ("ActiveState=failed" if spoil else "ActiveState=inactive") in r.stdout
    assert open(path, "rb").read() != before
    assert os.path.exists(path + ".mapfs-left/info/author") == bool(spoil)


if share.ALL:  # this builds all of mapfs again, which takes minutes
    def test_the_debian_package_passes_lintian(tmp_path):
        needs("dpkg-buildpackage", "dh", "lintian", "git")
        subprocess.run([os.path.join(SOURCE, "contrib/deb"), str(tmp_path)], check=True)
        [deb] = tmp_path.glob("mapfs_*.deb")
        subprocess.run(["dpkg-deb", "-x", deb, tmp_path / "tree"], check=True)
        assert dead_links(str(tmp_path / "tree/usr/share")) == []
        assert (tmp_path / "tree/usr/share/zsh/vendor-completions/_mapfs").exists()
        changes = [str(p) for p in tmp_path.glob("*.changes")]
        r = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", *changes],
                           capture_output=True, text=True)
        assert changes and r.returncode == 0 and r.stdout == "", r
