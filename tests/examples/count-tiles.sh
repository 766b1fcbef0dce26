# SPDX-License-Identifier: Zlib
mapfs -o ro dm1.map
awk -F, '{ for (i = 1; i <= NF; i++) n[$i + 0]++ } END { for (t in n) print n[t], t }' \
	dm1/groups/6/layers/2/id.csv | sort -rn
mapfs -u dm1
