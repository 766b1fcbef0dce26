# SPDX-License-Identifier: Zlib
"""The files that a Teeworlds mount must show, derived from the map with the reader of datafile.py.

The rules come from the layout page (rules 1-4, 9-11, 22-24), not from mapfs. Groups and envelopes appear as
directories only: other tests check their content.
"""
import binascii
import struct
import uuid
import zlib

from datafile import IMAGE, INFO, LAYER, MAP_VERSION, SOUND, UUID_INDEX

TYPED_DIRS = ("info", "images", "sounds", "envelopes", "groups")
TYPE_NAMES = {0: "version", 1: "info", 2: "image", 3: "envelope", 4: "group", 5: "layer",
              6: "envpoints", 7: "sound", UUID_INDEX: "uuid"}
PNG_MAGIC = b"\x89PNG\r\n\x1a\n"
STORED_MAX = 65535
IDAT_MAX = (1 << 31) - 1


class File:
    """An expected file: its size, and a function that returns its bytes, or None if reading gives EIO."""

    def __init__(self, size, content, source=None):
        self.size, self.content, self.source = size, content, source


def escaped(name, limit):
    """A name as a file name of at most `limit` bytes, cut at a whole character."""
    out = b""
    for c in name.decode("utf-8", "surrogateescape"):
        code = ord(c)
        raw = c.encode("utf-8", "surrogateescape")
        hidden = (c in "/%" or code < 0x20 or 0x7F <= code <= 0x9F or 0x2028 <= code <= 0x202E
                  or 0x2066 <= code <= 0x2069 or 0xDC80 <= code <= 0xDCFF)
        piece = b"".join(b"%%%02X" % b for b in raw) if hidden else raw
        if len(out) + len(piece) > limit:
            break
        out += piece
    return out


def stem(position, count, name, limit=250):
    number = b"%0*d" % (len(str(count - 1)), position)
    return number + escaped(b"_" + name, limit - len(number)) if name else number


def until_nul(data):
    return b"" if data is None else data.split(b"\0", 1)[0]


def named_blob(f, index):
    return until_nul(f.blob(index)) if f.has_blob(index) else b""


def png_size(width, height):
    n = height * (4 * width + 1)
    return 63 + n + 5 * -(-n // STORED_MAX)


def png(width, height, pixels):
    row = 4 * width
    plain = b"".join(b"\0" + pixels[y * row:(y + 1) * row] for y in range(height))
    parts = [b"\x78\x01"]
    for at in range(0, len(plain), STORED_MAX):
        block = plain[at:at + STORED_MAX]
        last = at + STORED_MAX >= len(plain)
        parts.append(struct.pack("<BHH", last, len(block), len(block) ^ 0xFFFF))
        parts.append(block)
    parts.append(struct.pack(">I", zlib.adler32(plain)))

    def chunk(kind, body):
        return (struct.pack(">I", len(body)) + kind + body
                + struct.pack(">I", binascii.crc32(kind + body)))

    return (PNG_MAGIC + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
            + chunk(b"IDAT", b"".join(parts)) + chunk(b"IEND", b""))


def info_files(f):
    infos = f.of_type(INFO)
    ints = infos[0].ints if infos else []
    for n, name in enumerate((b"author", b"version", b"credits", b"license", b"settings.cfg")):
        index = ints[n + 1] if len(ints) > n + 1 else -1
        path = b"info/" + name
        if index == -1:
            yield path, File(0, lambda: b"")
        elif not f.has_blob(index):
            yield path, File(0, lambda: None)
        else:
            def text(i=index):
                data = f.blob(i)
                return None if data is None else data.replace(b"\0", b"\n")
            yield path, File(f.declared[index], text, index)


def embedded(f, ints):
    version, width, height, external, _, index = ints[:6]
    return (external == 0 and width >= 1 and height >= 1 and f.has_blob(index)
            and f.declared[index] >= width * height * 4
            and (version < 2 or (len(ints) > 6 and ints[6] == 1))
            and png_size(width, height) - 57 <= IDAT_MAX)


def image_files(f):
    images = f.of_type(IMAGE)
    for n, item in enumerate(images):
        ints = item.ints
        if len(ints) < 6:
            continue
        path = b"images/" + stem(n, len(images), named_blob(f, ints[4]))
        if embedded(f, ints):
            def picture(width=ints[1], height=ints[2], i=ints[5]):
                data = f.blob(i)
                return None if data is None else png(width, height, data)
            yield path + b".png", File(png_size(ints[1], ints[2]), picture, ints[5])
        else:
            text = b'{\n  "external": %s,\n  "width": %d,\n  "height": %d\n}\n' % (
                flag(ints[3]), ints[1], ints[2])
            yield path + b".json", File(len(text), lambda t=text: t)


def flag(value):
    """A flag in words (layout rule 16): false or true, or any other number unchanged."""
    return {0: b"false", 1: b"true"}.get(value, b"%d" % value)


def sound_files(f):
    sounds = f.of_type(SOUND)
    for n, item in enumerate(sounds):
        ints = item.ints
        if len(ints) < 4:
            continue
        path = b"sounds/" + stem(n, len(sounds), named_blob(f, ints[2]))
        if ints[1] == 0 and f.has_blob(ints[3]):
            yield path + b".opus", File(f.declared[ints[3]], lambda i=ints[3]: f.blob(i), ints[3])
        else:
            text = b'{\n  "external": %s\n}\n' % flag(ints[1])
            yield path + b".json", File(len(text), lambda t=text: t)


def type_dir(f, type_):
    if type_ in TYPE_NAMES:
        return b"%05d_%s" % (type_, TYPE_NAMES[type_].encode())
    for item in f.of_type(UUID_INDEX):
        if item.id == type_ and len(item.ints) == 4:
            name = str(uuid.UUID(bytes=struct.pack(">4i", *item.ints)))
            return b"%05d_%s" % (type_, name.encode())
    return b"%05d" % type_


def raw_files(f):
    seen = {}
    for item in f.items:
        again = seen.get((item.type, item.id), 0)
        seen[item.type, item.id] = again + 1
        path = b"raw/items/%s/%05d" % (type_dir(f, item.type), item.id)
        if again:
            path += b"+%d" % again
        text = b"".join(b"%d\n" % v for v in item.ints)
        yield path, File(len(text), lambda t=text: t)
    for n in range(f.n_data):
        yield b"raw/data/%05d" % n, File(f.declared[n], lambda i=n: f.blob(i), n)


def typed(f):
    return any(i.id == 0 and i.ints[:1] == [1] for i in f.of_type(MAP_VERSION))


def tree(f, raw=True):
    """All expected files by path, and the expected directories, without the content of groups and envelopes."""
    files, dirs = {}, {b""}
    if typed(f):
        dirs |= {d.encode() for d in TYPED_DIRS}
        for part in (info_files, image_files, sound_files):
            files.update(part(f))
    if raw:
        files.update(raw_files(f))
        dirs |= {b"raw", b"raw/items", b"raw/data"}
    dirs |= {p.rsplit(b"/", 1)[0] for p in files}
    return files, dirs


def name_blobs(f):
    """The blobs with names, which a listing must decode."""
    out = {i.ints[4] for i in f.of_type(IMAGE) if len(i.ints) > 4}
    out |= {i.ints[2] for i in f.of_type(SOUND) if len(i.ints) > 2}
    return {i for i in out if f.has_blob(i)}


def listing_blobs(f):
    """The blobs that a listing may decode: names, and for their lengths quads and sound sources."""
    out = name_blobs(f)
    out |= {i.ints[5] for i in f.of_type(LAYER) if len(i.ints) > 5 and i.ints[1] in (3, 9, 10)}
    return {i for i in out if f.has_blob(i)}
