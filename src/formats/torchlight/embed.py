# SPDX-License-Identifier: Zlib
"""embed.py IN OUT NAME: the bytes of IN as `const char NAME[]` (NUL-ended) in the C file OUT."""
import sys

source, target, name = sys.argv[1:]
with open(source, "rb") as f:
    lines = f.read().split(b"\n")
with open(target, "w", encoding="ascii") as f:
    f.write(f"extern const char {name}[];\nconst char {name}[] =\n")
    for line in lines:
        if line:
            text = "".join(f"\\{c:03o}" if c < 32 or c > 126 or c in b'"\\?' else chr(c)
                           for c in line)
            f.write(f'\t"{text}\\n"\n')
    f.write('\t"";\n')
