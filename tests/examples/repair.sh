# SPDX-License-Identifier: Zlib
mkdir maps
mv ctf1.map dm7.map maps
echo 'sv_taem 2' | mapfs put maps/ctf1.map info/settings.cfg
mapfs check maps
mapfs check --fix=settings maps
