# SPDX-License-Identifier: Zlib
cat > house.json <<'END'
{
  "size": 1000000,
  "tiles": [{"id": 33, "layers": ["game", "front"], "min": 1}],
  "info": {"author": "."},
  "settings": {"allow": ["sv_team", "switch_open"]}
}
END
mapfs check --rules house.json Tsunami.map Tutorial.map ctf1.map || echo "exit status $?"
echo 'sv_taem 2' | mapfs put ctf1.map info/settings.cfg
mapfs check --rules ddnet ctf1.map | grep settings
