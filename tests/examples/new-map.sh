# SPDX-License-Identifier: Zlib
mapfs -o ro,raw=off Tsunami.map
mapfs --new copy.map
cp -r Tsunami/. copy
mapfs -u copy | tail -n 1
mapfs -o ro,raw=off copy.map
diff -r Tsunami copy && echo equal
mapfs -u copy
mapfs -u Tsunami
