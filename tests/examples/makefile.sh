# SPDX-License-Identifier: Zlib
cat > Makefile <<'END'
GRASS = groups/6/layers/4

arena.map: design.map
	mapfs edit --output - $< gametiles $(GRASS) 1 | mapfs automap --layer $(GRASS) --config Default --seed 1 - $@
END
cp dm1.map design.map
mapfs edit --layer groups/6/layers/4 design.map fill 5,4,5,3 1
make -s 2>&1
mapfs cat arena.map groups/6/layers/2/id.csv | sed -n 4,8p | cut -d , -f 5-11
mapfs cat arena.map groups/6/layers/4/id.csv | sed -n 4,8p | cut -d , -f 5-11
