# SPDX-License-Identifier: Zlib
mapfs Tutorial.map
sed -i 's/\b9\b/12/g' Tutorial/groups/14_Game/layers/[23]_*/id.csv
mapfs -u Tutorial
