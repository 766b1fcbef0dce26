# SPDX-License-Identifier: Zlib
mapfs extract -o raw=off dm1.map backup
cp dm1.map before.map
mapfs rm -r dm1.map groups/1

# One part: a file of the backup.
mapfs put dm1.map info/settings.cfg backup/info/settings.cfg

# The whole map: --exact removes what the backup does not have.
mapfs pack --exact backup --onto dm1.map 2> log
mapfs diff before.map dm1.map && echo equal
