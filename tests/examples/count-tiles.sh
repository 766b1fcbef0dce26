# SPDX-License-Identifier: Zlib
mapfs cat dm1.map groups/6/layers/2/id.csv | tr -d ' ' | tr , '\n' | sort -n | uniq -c
