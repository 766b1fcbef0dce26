# SPDX-License-Identifier: Zlib
mapfs dm1.map
plane=dm1/groups/6/layers/2/id.csv
cp $plane before.csv
soffice --headless --convert-to xlsx --outdir . $plane > log 2>&1
soffice --headless --convert-to csv --outdir . id.xlsx >> log 2>&1
head -n 1 id.csv | cut -c 1-40
cp id.csv $plane
sync dm1
cmp $plane before.csv && echo 'the same cells'
mapfs -u dm1
