# SPDX-License-Identifier: Zlib
"""A screen for one test, with keyboard input."""
import os
import shutil
import subprocess

import box as boxes
from session import need


class Display:
    def __init__(self, box):
        for name in ("Xvfb", "xdotool", "import"):
            need(name)
        self.box, self.children = box, []
        r, w = os.pipe()
        self.log = open(os.path.join(box.logs, "display"), "wb")
        self._start("Xvfb", "-displayfd", str(w), "-screen", "0", "900x600x24", "-nolisten", "tcp",
                    pass_fds=[w])
        os.close(w)
        with os.fdopen(r) as f:
            self.name = ":" + f.readline().strip()
        assert self.name != ":", "Xvfb did not start"

    def env(self):
        return {"DISPLAY": self.name, "GSETTINGS_BACKEND": "memory", "NO_AT_BRIDGE": "1",
                "GDK_BACKEND": "x11", "GTK_THEME": "Adwaita", "XDG_RUNTIME_DIR": self.box.home,
                "GIO_USE_VFS": "local", "DBUS_SESSION_BUS_ADDRESS": "disabled:"}

    def _start(self, program, *args, cwd=None, pass_fds=(), env=None):
        p = subprocess.Popen([need(program)] + list(args), stdin=subprocess.DEVNULL, cwd=cwd,
                             stdout=self.log, stderr=self.log, pass_fds=pass_fds,
                             env=self.box.env(env))
        self.children.append(p)
        return p

    def start(self, program, *args, cwd=None):
        return self._start(program, *args, cwd=cwd, env=self.env())

    def tool(self, program, *args):
        return self.box.run(*args, program=need(program), env=self.env())

    def window(self, title):
        """Wait for a window with this title and the keyboard focus, and return it."""
        def find_window():
            ids = self.tool("xdotool", "search", "--onlyvisible", "--name", title).out.split()
            return ids and self.tool("xdotool", "windowfocus", "--sync", ids[-1]).code == 0 and ids
        ids = boxes.wait_for(find_window, step=0.1)
        assert ids, "no window " + title
        return ids[-1]

    def keys(self, *keys):
        r = self.tool("xdotool", "key", "--clearmodifiers", "--delay", "40", *keys)
        assert r.code == 0, r

    def type(self, line):
        """Type a line and Return. xdotool loses a Return that is part of a longer text."""
        r = self.tool("xdotool", "type", "--delay", "40", line)
        assert r.code == 0, r
        self.keys("Return")

    def shows(self, name):
        """The number of colors on the screen. MAPFS_SCREENSHOTS keeps the picture."""
        path = os.path.join(self.box.root, name + ".png")
        assert self.tool("import", "-window", "root", path).code == 0
        folder = os.environ.get("MAPFS_SCREENSHOTS")
        if folder:
            shutil.copy(path, folder)
        return int(self.tool("identify", "-format", "%k", path).out)

    @staticmethod
    def stop(p):
        # Not SIGTERM: the handler of pcmanfm may wait for a lock that the program holds.
        p.kill()
        p.wait()

    def close(self):
        for p in self.children[1:]:
            self.stop(p)
        self.children[0].terminate()  # so that it removes its socket
        self.children[0].wait(90)
        self.log.close()
