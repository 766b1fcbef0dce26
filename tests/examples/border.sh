# SPDX-License-Identifier: Zlib
mapfs dm1.map
python3 - dm1/groups/6/layers/2/id.csv <<'END'
import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
for y, row in enumerate(rows):
    for x in range(len(row)):
        if x in (0, len(row) - 1) or y in (0, len(rows) - 1):
            row[x] = 3
csv.writer(open(sys.argv[1], "w")).writerows(rows)
END
head -n 2 dm1/groups/6/layers/2/id.csv | cut -c 1-38
mapfs -u dm1
