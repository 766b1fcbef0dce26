# SPDX-License-Identifier: Zlib
# For bash: mapfs's commands and options, files, and the paths inside a map.

# _mapfs_paths MAP WORD: the paths of MAP in the directory of WORD; directories end in a slash.
_mapfs_paths() {
	local dir=
	[[ $2 != */* ]] || dir=${2%/*}/
	mapfs ls -l -- "$1" ${dir:+"${dir%/}"} 2>/dev/null |
		sed -nE "s|^d\S+ +\S+ \S+ \S+ (.*)|\1/|; s|^-\S+ +\S+ \S+ \S+ ||; s|^|${dir//[&|\\]/\\&}|p"
}

# _mapfs_options COMMAND: those that its --help lists; those of a mount where it is none.
_mapfs_options() {
	{ mapfs help "${1:-options}" || mapfs help options; } 2>/dev/null | grep -oE '^ +-[^ ]+(, --[a-z-]+)?=?' | tr -d ', ' | sed 's/--/\n--/' | grep -- -
}

_mapfs() {
	local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=() names=() i IFS=$'\n'
	COMPREPLY=()
	for ((i = 2; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} == -* || ${COMP_WORDS[i - 1]} == -o ]] || names+=("${COMP_WORDS[i]//\\/}")
	done
	[[ $COMP_CWORD -gt 1 && $command != -* ]] || command=
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$(_mapfs_options "$command")" -- "$cur"))
		return
	fi
	case $command:${#names[@]} in
	ls:[1-9]* | cat:[1-9]* | rm:[1-9]* | mv:[1-9]* | put:1 | preview:1 | extract:[2-9]*)
		words=($(_mapfs_paths "${names[0]/#\~/$HOME}" "${cur//\\/}"))
		;;
	:0 | help:0)
		words=($(mapfs help commands 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p'))
		[[ -z $command ]] || words+=(commands options)
		;;
	esac
	[[ ${COMP_WORDS[COMP_CWORD - 1]} != --rules ]] || words=(ddnet)
	[[ ${COMP_WORDS[COMP_CWORD - 1]} != --@(to|for) ]] || words=(0.6 0.7 ddnet)
	for i in "${words[@]}"; do
		[[ $i != "${cur//\\/}"* ]] || COMPREPLY+=("$(printf %q "$i")")
	done
	case $command:${#names[@]} in
	ls:[1-9]* | cat:[1-9]* | rm:[1-9]* | mv:[1-9]* | put:1 | extract:[2-9]*)
		[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != */ ]] || compopt -o nospace
		;;
	help:*) ;;
	*)
		COMPREPLY+=($(compgen -f -- "$cur"))
		compopt -o filenames
		;;
	esac
}
complete -F _mapfs mapfs
