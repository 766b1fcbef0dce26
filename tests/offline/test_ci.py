# SPDX-License-Identifier: Zlib
"""contrib/ci: the review of maps in a pull request, by the script and by the steps of the workflows."""
import os
import random
import re
import shutil
import subprocess

import pytest

import places
import racemap
import review
from maps import good

CI = os.path.join(places.SOURCE, "contrib", "ci")
KNOWS_TIDY = b"\n  tidy " in good("help", "commands").stdout


class Repository:
    """A git repository with two branches: main, and a change of its maps."""

    def __init__(self, top):
        self.top = os.path.join(top, "repository")
        self.env = dict(os.environ, HOME=top, GIT_CONFIG_NOSYSTEM="1", LC_ALL="C",
                        PATH=os.path.dirname(places.BINARY) + ":" + os.environ["PATH"],
                        **{"GIT_%s_%s" % (a, b): "x@example.org" for a in ("AUTHOR", "COMMITTER") for b in ("NAME", "EMAIL")})
        os.makedirs(os.path.join(self.top, "ci"))
        self.git("init", "-q", "-b", "main", ".")
        shutil.copy(os.path.join(CI, "review"), os.path.join(self.top, "ci", "review"))

    def run(self, *argv, **env):
        return subprocess.run(argv, cwd=self.top, env=dict(self.env, **env), capture_output=True, text=True, timeout=300)

    def git(self, *args):
        r = self.run("git", *args)
        assert r.returncode == 0, r
        return r.stdout.strip()

    def put(self, path, race):
        path = os.path.join(self.top, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(race if isinstance(race, bytes) else race.encode())

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "maps", "--allow-empty")

    def review(self, out="out", base="main", head="change", **env):
        r = self.run("sh", os.path.join(CI, "review"), base, head, out, **env)
        return r, self.page(out)

    def page(self, out="out"):
        with open(os.path.join(self.top, out, "review.md")) as f:
            return f.read()


@pytest.fixture
def repository(tmp_path):
    if not shutil.which("git"):
        pytest.skip("not installed: git")
    r = Repository(str(tmp_path))
    r.put("maps/a.map", racemap.Race())
    r.put("maps/b c.map", racemap.Race())
    r.commit()
    r.git("checkout", "-qb", "change")
    return r


def changed_race(x=2, y=2, *tile):
    race = racemap.Race()
    race.put("game", x, y, *(tile or (9, 0)))
    return race


def split_page(page):
    """The part of the page about each map."""
    return {review.name(part): part for part in re.split(r"^(?=# `)", page, flags=re.M)[1:]}


def test_unchanged_maps_are_not_on_the_page(repository):
    repository.put("README", b"text")
    repository.commit()
    r, page = repository.review()
    assert (r.returncode, r.stderr, page) == (0, "", "No map changed.\n")


def test_each_changed_map_is_on_the_page_with_tiles_and_pictures(repository):
    repository.put("maps/b c.map", changed_race())
    repository.commit()
    r, page = repository.review()
    assert (r.returncode, r.stderr) == (0, "")
    reported = split_page(page)
    assert list(reported) == ["maps/b c.map"]
    page = review.Page(reported["maps/b c.map"])
    assert page.answer == "**The gameplay changed**: tiles: 1 added."
    ((kind, counts, where, rows),) = page.layers.values()
    assert (kind, counts, where) == ("game", {"added": 1}, ((1, 1), (1, 1))) and rows[0][1] == "freeze (9)"
    assert list(page.pictures) == ["pictures/maps-b-c-1/game-1-1.png"]
    for name in page.pictures:
        assert os.path.exists(os.path.join(repository.top, "out", name))


def test_later_commits_of_the_base_branch_are_not_shown(repository):
    repository.put("maps/b c.map", changed_race())
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.put("maps/a.map", changed_race(4, 2))
    repository.commit()
    assert list(split_page(repository.review()[1])) == ["maps/b c.map"]


def test_a_map_that_breaks_the_rules_fails(repository):
    repository.put("maps/a.map", changed_race(2, 2, 8, 0))
    repository.put("maps/b c.map", changed_race())
    repository.commit()
    r, page = repository.review()
    reported = split_page(page)
    assert r.returncode == 1 and "tile 8 is unknown to DDNet in the game layer" in reported["maps/a.map"]
    assert "unknown to DDNet" not in reported["maps/b c.map"]
    r, page = repository.review("none", MAPFS_RULES="")
    assert r.returncode == 0 and "unknown to DDNet" not in page
    # Rules of the repository itself, relative to the directory that the script starts in.
    with open(os.path.join(repository.top, "house.json"), "w") as f:
        f.write('{"tiles": [{"id": 9, "layers": ["game"], "max": 0}]}')
    r, page = repository.review("house", MAPFS_RULES="house.json")
    reported = split_page(page)
    assert r.returncode == 1 and "<pre>" in reported["maps/b c.map"] and "<pre>" not in reported["maps/a.map"].split("tidy")[0]


def test_new_removed_renamed_and_invalid_maps_are_shown(repository):
    repository.git("mv", "maps/a.map", "maps/z_*.map")
    repository.git("rm", "-q", "maps/b c.map")
    other = racemap.Race()
    other.info[0] = b"Bob"
    other.images = [(b"noise", (64, 64, random.Random(1).randbytes(64 * 64 * 4)))]  # similar to no other map
    repository.put("maps/new.map", other)
    repository.commit()
    r, page = repository.review()
    reported = split_page(page)
    assert r.returncode == 0, page
    assert "It was called ` maps/" in reported["maps/z_*.map"] and "No differences." in reported["maps/z_*.map"]
    gone = [name for name in ("maps/a.map", "maps/b c.map") if name in reported]
    assert len(gone) == 1 and "The map was removed." in reported[gone[0]] and "The map is new." in reported["maps/new.map"]

    repository.put("maps/new.map", b"no map")
    repository.commit()
    r, page = repository.review("out2")
    assert r.returncode == 1 and "<pre>" in split_page(page)["maps/new.map"]


def test_names_are_never_markup(repository):
    names = ["maps/<b>_x_`y` & [z](http:a) @you #1.map", "maps/a@b.c ``.map", "maps/www.e.io `.map"]
    for name in names:
        repository.put(name, changed_race())
    repository.commit()
    r, page = repository.review()
    assert r.returncode == 0
    headings = [line for line in page.splitlines() if line.startswith("# ")]
    assert sorted(map(review.name, headings)) == sorted(names)
    assert [review.CODE.sub("", heading) for heading in headings] == ["# "] * len(names)


def test_a_missing_program_or_commit_is_an_error(repository):
    repository.commit()
    for args in (["main"], ["main", "nothing", "x"], ["nothing", "change", "x"]):
        assert repository.run("sh", os.path.join(CI, "review"), *args).returncode == 2
    os.mkdir(os.path.join(repository.top, "x"))
    assert repository.run("sh", os.path.join(CI, "review"), "main", "change", "x").returncode == 2


def test_possible_savings_of_tidy_are_shown(repository):
    if not KNOWS_TIDY:
        pytest.skip("this mapfs has no tidy")
    race = changed_race()
    race.images.append((b"unused", (16, 16, b"\1\2\3\4" * 256)))
    repository.put("maps/a.map", race)
    repository.commit()
    _, page = repository.review(MAPFS_RULES="")
    assert "mapfs tidy would" in page and "unused" in page.split("mapfs tidy would")[1]


def steps(name):
    """The lines of a workflow that call the script, and the variables that the server sets."""
    yaml = pytest.importorskip("yaml")
    with open(os.path.join(CI, name)) as f:
        flow = yaml.safe_load(f)
    if name == "github.yml":
        job = flow["jobs"]["review"]
        step = next(s for s in job["steps"] if s.get("name") == "Review")
        assert "pull_request" in flow[True] and flow["permissions"] == {"contents": "read"}
        return step["run"], ("BASE", "HEAD"), step["env"]["MAPFS_RULES"]
    job = flow["maps"]
    return "\n".join(job["script"]), ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "CI_COMMIT_SHA"), job["variables"]["MAPFS_RULES"]


@pytest.mark.parametrize("name", ["github.yml", "gitlab.yml"])
def test_the_steps_of_a_workflow_review_the_change(repository, name):
    lines, (base, head), rules = steps(name)
    repository.put("maps/a.map", changed_race())
    # The workflow runs the script of the base branch, not the one in the change.
    repository.put("ci/review", b"exit 0\n")
    repository.commit()
    r = repository.run("sh", "-e", "-c", lines, MAPFS_RULES=rules,
                       **{base: repository.git("rev-parse", "main"), head: repository.git("rev-parse", "change")})
    assert r.returncode == 0, r.stderr
    assert list(split_page(repository.page("review"))) == ["maps/a.map"]
    summary = repository.run("sh", "-c", r"grep -v '^ *!\[' review/review.md").stdout
    assert "freeze (9)" in summary and "![" not in summary


def test_shellcheck_accepts_the_script():
    if not shutil.which("shellcheck"):
        pytest.skip("not installed: shellcheck")
    r = subprocess.run(["shellcheck", os.path.join(CI, "review")], capture_output=True, text=True)
    assert r.returncode == 0, r.stdout
