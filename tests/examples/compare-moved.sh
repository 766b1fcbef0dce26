# SPDX-License-Identifier: Zlib
cp Tsunami.map edited.map
mapfs edited.map
rm -r edited/groups/03_leaves
mapfs -u edited
contents() {
	mapfs -o ro,raw=off "$1.map"
	(cd "$1" && find . -type f -exec sha1sum {} +) | sed -E 's,/[0-9]+,/,g' | sort
	mapfs -u "$1"
}
contents Tsunami > before
contents edited > after
diff before after | grep "^[<>]" | cut -c 1-2,45- | sort
