# SPDX-License-Identifier: Zlib
"""The package recipes agree with meson.build on version and dependencies."""
import email.utils
import json
import os
import re
import shutil
import subprocess

import pytest

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# The names of dependencies in meson.build and in packages.
DEBIAN = {"zlib": "zlib1g-dev", "libdeflate": "libdeflate-dev", "libpng": "libpng-dev", "jansson": "libjansson-dev",
          "fuse3": "libfuse3-dev", "cmocka": "libcmocka-dev", "libseccomp": "libseccomp-dev",
          "expat": "libexpat1-dev", "libmd": "libmd-dev"}


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as f:
        return f.read()


def version():
    return re.search(r"version: '([\d.]+)'", read("meson.build"))[1]


def needed():
    """All dependencies that meson.build finds with pkg-config."""
    text = read("meson.build") + read("src/base/meson.build")
    return set(re.findall(r"dependency\('([\w-]+)'", text)) - {"threads"}


def array(name):
    """An array of the PKGBUILD, as bash reads it."""
    r = subprocess.run(["bash", "-euc", '. "$0"; eval "printf \'%s\\n\' \\"\\${$1[@]}\\""',
                        os.path.join(SOURCE, "contrib/PKGBUILD"), name], check=True, capture_output=True, text=True)
    return r.stdout.splitlines()


def needs(program):
    if not shutil.which(program):
        pytest.skip("not installed: " + program)


def readelf(program, *args):
    return subprocess.run(["readelf", "-W", *args, program], check=True, capture_output=True, text=True).stdout


def test_the_program_is_hardened():
    """As in the Debian package, imported addresses are read-only, and the C library checks buffer sizes."""
    needs("readelf")
    build = os.environ["MAPFS_BUILD_DIR"]
    program = os.path.join(build, "src/mapfs")
    assert "BIND_NOW" in readelf(program, "-d") and "GNU_RELRO" in readelf(program, "-l")
    r = subprocess.run(["meson", "introspect", "--buildoptions", build], capture_output=True, text=True)
    if r.returncode:
        pytest.skip("not installed: meson")
    value = {option["name"]: option["value"] for option in json.loads(r.stdout)}
    if value["optimization"] in ("plain", "0") or value["b_sanitize"] != "none" or "-O0" in value["c_args"]:
        pytest.skip("set up without an optimizer, or with a sanitizer")
    assert set(re.findall(r" UND (__\w+_chk)\b", readelf(program, "-s"))) - {"__stack_chk_fail"}


@pytest.mark.parametrize("options, env, expected", [
    ([], {}, ["-D_FORTIFY_SOURCE=2"]),
    (["-Doptimization=0"], {}, []),
    ([], {"CFLAGS": "-O0"}, []),
    ([], {"CFLAGS": "-Wp,-D_FORTIFY_SOURCE=3"}, ["-Wp,-D_FORTIFY_SOURCE=3"]),
    (["--buildtype=plain"], {"CFLAGS": "-O2"}, []),
    (["-Db_sanitize=address", "-Db_lundef=false"], {}, []),
    ([], {"CC": "clang"}, ["-D_FORTIFY_SOURCE=2"]),
], ids=["plain", "O0", "CFLAGS O0", "CFLAGS fortify", "buildtype plain", "sanitizer", "clang"])
def test_the_build_has_the_expected_fortify_flags(tmp_path, options, env, expected):
    needs("meson")
    needs("ninja")
    needs(env.get("CC", "cc"))
    build = tmp_path / "build"
    clean = {key: value for key, value in os.environ.items() if key not in ("CC", "CFLAGS", "CPPFLAGS")}
    r = subprocess.run(["meson", "setup", str(build), SOURCE, "-Dwerror=true", *options], env=dict(clean, **env),
                       capture_output=True, text=True)
    assert r.returncode == 0, r
    commands = json.loads((build / "compile_commands.json").read_text())
    command = next(c for c in commands if c["file"].endswith("src/main.c"))
    assert [word for word in command["command"].split() if "FORTIFY" in word] == expected
    r = subprocess.run(["ninja", "-C", str(build), command["output"]], capture_output=True, text=True)
    assert r.returncode == 0 and "warning" not in r.stdout, r


def test_all_recipes_have_this_version():
    assert re.findall(r"^Version: +(.*)$", read("contrib/mapfs.spec"), re.M) == [version()]
    assert array("pkgver") == [version()]
    assert read("contrib/debian/changelog").startswith("mapfs (%s) " % version())
    description = read("contrib/desktop/mapfs.metainfo.xml")
    release = re.search(r'<releases>\s*<release version="([^"]*)" date="([^"]*)"', description)
    assert release and release[1] == version()
    stamp = re.search(r"^ -- .*>  (.*)$", read("contrib/debian/changelog"), re.M)[1]
    assert email.utils.parsedate_to_datetime(stamp).date().isoformat() == release[2]
    # the text of the instructions at their beginning
    for path in "contrib/mapfs.spec", "contrib/PKGBUILD":
        assert set(re.findall(r"mapfs-([\d.]+\d)", read(path))) == {version()}


def test_the_spec_has_the_dependencies_of_meson():
    assert set(re.findall(r"^BuildRequires: +pkgconfig\(([^)]*)\)", read("contrib/mapfs.spec"), re.M)) == needed()


def test_the_pkgbuild_has_the_dependencies_of_meson():
    listed = array("depends") + array("makedepends") + array("checkdepends")
    assert set(listed) == needed() | {"glibc", "meson", "python"}


def test_the_debian_package_has_the_dependencies_of_meson():
    control = read("contrib/debian/control")
    assert [name for name in needed() if not re.search(r"^ %s\b" % DEBIAN[name], control, re.M)] == []


def test_the_debian_package_has_each_license_text():
    paragraphs = read("contrib/debian/copyright").rstrip().split("\n\n")
    named = {m[1] for p in paragraphs if p.startswith("Files:") for m in [re.search("^License: (.*)$", p, re.M)]}
    texts = {p.split("\n")[0][9:]: p for p in paragraphs if p.startswith("License:")}
    assert named == set(texts) and "CC-BY-SA-3.0" in named
    # Each license text disclaims warranties, which a mere reference does not.
    assert [n for n, text in texts.items() if not re.search("(?i)without any express|EXPRESS, IMPLIED", text)] == []


def test_the_spec_is_well_formed():
    needs("rpmspec")
    r = subprocess.run(["rpmspec", "-P", os.path.join(SOURCE, "contrib/mapfs.spec")], capture_output=True, text=True)
    assert r.returncode == 0 and r.stderr == "" and "%{" not in r.stdout, r


def test_rpmlint_finds_no_error_in_the_spec():
    needs("rpmlint")
    r = subprocess.run(["rpmlint", os.path.join(SOURCE, "contrib/mapfs.spec")], capture_output=True, text=True)
    assert r.returncode == 0 and " 0 errors" in r.stdout, r


def test_every_installed_file_is_in_the_spec():
    """Match the installed paths with the section %files, as rpmbuild does."""
    r = subprocess.run(["meson", "introspect", "--installed", os.environ["MAPFS_BUILD_DIR"]],
                       capture_output=True, text=True)
    if r.returncode:
        pytest.skip("not installed: meson")
    listed = read("contrib/mapfs.spec").split("\n%files\n")[1].split("\n%changelog\n")[0]
    names = {os.path.basename(line) for line in listed.splitlines() if line.startswith("%{_")}
    pattern = re.compile("|".join(re.escape(n).replace(r"\*", ".*") for n in names))
    assert "%{_datadir}/doc/mapfs" in listed.splitlines()
    odd = [path for path in json.loads(r.stdout).values()
           if "/share/doc/mapfs" not in path and not pattern.fullmatch(os.path.basename(path))]
    assert odd == []


@pytest.mark.parametrize("program", ["bash", "shellcheck"])
def test_the_pkgbuild_is_well_formed(program):
    needs(program)
    r = subprocess.run([program, *(["-n"] if program == "bash" else []), os.path.join(SOURCE, "contrib/PKGBUILD")],
                       capture_output=True, text=True)
    assert r.returncode == 0 and r.stdout + r.stderr == "", r
