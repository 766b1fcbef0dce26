# SPDX-License-Identifier: Zlib
mapfs dm1.map
sed -i 's/"width": 60/"width": 64/; s/"height": 50/"height": 40/' dm1/groups/6/layers/*/layer.json
mapfs -u dm1 | tail -n 1
mapfs cat dm1.map groups/6/layers/2/id.csv | wc -l
