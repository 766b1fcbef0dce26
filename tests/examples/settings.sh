# SPDX-License-Identifier: Zlib
for map in LearnToPlay Tsunami Tutorial; do mapfs -o ro $map.map; done
grep . */info/settings.cfg
for map in LearnToPlay Tsunami Tutorial; do mapfs -u $map; done
