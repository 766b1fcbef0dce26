# SPDX-License-Identifier: Zlib
# For fish: mapfs's commands and options, files, and the paths inside a map.

function __mapfs_names --description 'the words after the command that are no options'
    set -l words (commandline -opc)
    set -l last $words[2]
    for word in $words[3..-1]
        string match -q -- '-*' $word; or test "$last" = -o; or echo $word
        set last $word
    end
end

function __mapfs_is --description 'is this the command?'
    set -l words (commandline -opc)
    test "$words[2]" = $argv[1]
end

function __mapfs_inside --description 'is the next word a path in a map?'
    set -l words (commandline -opc)
    set -l names (count (__mapfs_names))
    switch "$words[2]"
        case ls cat rm mv
            test $names -ge 1
        case put
            test $names -eq 1
        case extract
            test $names -ge 2
        case '*'
            false
    end
end

function __mapfs_paths
    set -l dir (string replace -rf '[^/]*$' '' -- (commandline -ct))
    set -l map (string replace -r '^~' $HOME -- (__mapfs_names)[1])
    set -l at (string trim -r -c / -- $dir | string match -r '.+')
    for line in (mapfs ls -l -- $map $at 2>/dev/null)
        set -l part (string match -r '^(.)\S+ +\S+ \S+ \S+ (.*)$' -- $line)
        test "$part[2]" = d; and echo $dir$part[3]/; or echo $dir$part[3]
    end
end

function __mapfs_commands
    mapfs help commands 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p'
end

function __mapfs_options --description 'those that --help lists, with what they do'
    set -l words (commandline -opc)
    set -l command options
    string match -qr -- '^[^-]' "$words[2]"; and set command $words[2]
    for line in (mapfs help $command 2>/dev/null; or mapfs help options 2>/dev/null)
        set -l part (string match -r '^ +(-.*?)  +(.*)$' -- $line); or continue
        for option in (string match -ra -- '(?<![\w-])--?\w[\w-]*' $part[2])
            printf '%s\t%s\n' $option $part[3]
        end
    end
end

complete -c mapfs -n __mapfs_inside -f -a '(__mapfs_paths)'
complete -c mapfs -n '__mapfs_is preview; and test (count (__mapfs_names)) = 1' -a '(__mapfs_paths)'
complete -c mapfs -n 'test (commandline -opc)[-1] = --rules' -a ddnet
complete -c mapfs -n 'string match -qr -- "^--(to|for)\$" (commandline -opc)[-1]' -f -a '0.6 0.7 ddnet'
complete -c mapfs -n __fish_use_subcommand -a '(__mapfs_commands)'
complete -c mapfs -n '__mapfs_is help; and test (count (commandline -opc)) = 2' -f -a '(__mapfs_commands) commands options'
complete -c mapfs -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__mapfs_options)'
complete -c mapfs -s o -x -d 'mount options'
