# SPDX-License-Identifier: Zlib
mapfs extract -o raw=off dm1.map backup
cp dm1.map before.map

# A group is lost; those behind it have other numbers now.
mapfs rm -r dm1.map groups/1 2>/dev/null
mapfs ls dm1.map groups | tail -n 1

# The whole map as it was: --exact removes what the backup does not have.
mapfs pack --exact backup --onto dm1.map 2>/dev/null
mapfs diff before.map dm1.map && echo equal

# One part: the settings as they were, and all else as it is.
echo 'sv_team 1' | mapfs put dm1.map info/author
mapfs put dm1.map info/settings.cfg backup/info/settings.cfg
mapfs cat dm1.map info/author
