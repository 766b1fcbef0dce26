# SPDX-License-Identifier: Zlib
"""A program in a terminal: typed input and output on the screen."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

CONTROL = re.compile(rb"\x1b\[[0-9;?>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[()][A-Z0-9]"
                     rb"|\x1b[=>78cM]")


class Terminal:
    def __init__(self, argv, env, cwd):
        self.seen = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                os.chdir(cwd)
                os.execvpe(argv[0], argv, dict(env, TERM="xterm"))
            finally:
                os._exit(127)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))

    def text(self):
        return CONTROL.sub(b"", self.seen)

    def _read(self, seconds):
        if select.select([self.fd], [], [], seconds)[0]:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                data = b""  # the program has ended
            self.seen += data
            return bool(data)
        return None

    def expect(self, words, seconds=90.0):
        """Wait until the output since the last call contains the words, and drop it up to there."""
        end = time.monotonic() + seconds
        while words not in self.text():
            left = end - time.monotonic()
            if left <= 0 or self._read(left) is False:
                self.kill()
                raise AssertionError("%r did not appear in %r" % (words, self.text()[-2000:]))
        self.seen = b""

    def send(self, keys):
        os.write(self.fd, keys)

    def end(self, seconds=90.0):
        """Wait for the end of the program and return its exit code."""
        end = time.monotonic() + seconds
        while self._read(max(0.0, end - time.monotonic())):
            pass
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.01)
        self.kill()
        raise AssertionError("it did not end; the screen: %r" % self.text()[-2000:])

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)
