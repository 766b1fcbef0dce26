# SPDX-License-Identifier: Zlib
"""A map and the operations on it: as a value, and as a file that can be replayed."""
import base64
import dataclasses
import json


@dataclasses.dataclass
class Case:
    format: str
    seed: int
    name: str  # of the map's file
    files: dict  # {"": bytes of the map, ".MAN": bytes of its companion}
    option: str = ""
    ops: list = dataclasses.field(default_factory=list)

    def but(self, ops):
        return dataclasses.replace(self, ops=ops)

    def save(self, path):
        def plain(v):
            return {"bytes": base64.b64encode(v).decode()} if isinstance(v, bytes) else v
        value = dict(vars(self), files={k: plain(v) for k, v in self.files.items()},
                     ops=[[plain(v) for v in op] for op in self.ops])
        with open(path, "w") as f:
            json.dump(value, f, indent=1)

    @classmethod
    def load(cls, path):
        def back(v):
            return base64.b64decode(v["bytes"]) if isinstance(v, dict) else v
        with open(path) as f:
            value = json.load(f)
        value["files"] = {k: back(v) for k, v in value["files"].items()}
        value["ops"] = [tuple(back(v) for v in op) for op in value["ops"]]
        return cls(**value)


def line(op):
    """An operation as text for people."""
    return " ".join(repr(v if len(v) <= 400 else v[:400] + b"...") if isinstance(v, bytes) else str(v) for v in op)
