# SPDX-License-Identifier: Zlib
"""One process of driver.c for all maps of a test, with its commands as methods."""
import os
import subprocess


class Refused(Exception):
    def __init__(self, errno, text):
        super().__init__(text)
        self.errno, self.text = errno, text


class Driver:
    def __init__(self):
        self.p = subprocess.Popen([os.environ["TCM_DRIVER"]], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)

    def close(self):
        self.p.stdin.close()
        assert self.p.wait(60) == 0
        self.p.stdout.close()

    def ask(self, *words, data=b""):
        self.p.stdin.write(" ".join(map(str, words)).encode() + b"\n" + data)
        self.p.stdin.flush()
        answer = self.p.stdout.readline().rstrip(b"\n").split(b" ", 2)
        assert answer[0], "the driver died at " + " ".join(map(str, words))
        if answer[0] == b"error":
            raise Refused(int(answer[1]), answer[2].decode())
        if answer[0] == b"data":
            n = int(answer[1])
            return self.p.stdout.read(n + 1)[:n]
        return b" ".join(answer).decode()

    def open(self, path, options=""):
        self.ask("open", path, *filter(None, [options]))

    def create(self, options=""):
        self.ask("create", *filter(None, [options]))

    def names(self):
        return self.ask("list").decode().split()

    def get(self, name):
        return self.ask("get", name)

    def range(self, name, off, n):
        return self.ask("range", name, off, n)

    def laws(self):
        """Check the laws of reading and GetPut for all files; returns the broken ones."""
        return self.ask("laws").decode()

    def put(self, name, data):
        """Returns True if the content changed."""
        return self.ask("put", name, len(data), data=data) == "changed"

    def add(self, name):
        self.ask("add", name)

    def remove(self, name):
        self.ask("remove", name)

    def save(self, path):
        return self.ask("save", path)

    def notes(self):
        return self.ask("notes").decode().splitlines()

    def files(self):
        return {n: self.get(n) for n in self.names()}
