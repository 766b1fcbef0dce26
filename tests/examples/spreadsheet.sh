# SPDX-License-Identifier: Zlib
mapfs dm1.map
table=dm1/groups/6/layers/2/id.csv
soffice --headless --convert-to xlsx --outdir . $table > log 2>&1
soffice --headless --convert-to csv --outdir . id.xlsx >> log 2>&1
cp id.csv $table
mapfs -u dm1
