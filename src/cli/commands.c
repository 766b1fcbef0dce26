/* SPDX-License-Identifier: Zlib */
/* The table of commands, and the help page of each. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

#define VERBOSE "  -v, --verbose             report what was saved and removed\n"

const struct cli_command cli_commands[] = {
	{"mount", &cli_mapfs, "[-o OPTION,...] [-f] [-d] [--new] FILE|FOLDER [MOUNTPOINT]",
		"mount a map, or a folder of maps, as a directory",
		"The word mount is optional: mapfs FILE. Without MOUNTPOINT, a directory beside\n"
		"FILE is created, named after it without the ending, and removed at unmount. A\n"
		"FOLDER is mounted at FOLDER.mapfs, with a directory for each map, named like its\n"
		"file. Changes are saved at unmount and at `sync MOUNTPOINT`, all or nothing.\n\n"
		"      --new                 create FILE; a save adds what a game needs\n"
		"      --format=NAME         with --new, if the ending of FILE is not enough\n"
		"  -f, --foreground          stay in the foreground, with messages on stderr\n"
		"  -d, --debug               trace the requests; implies -f\n"
		"  -o OPTION[,OPTION...]     see mapfs help options\n"},
	{"umount", &cli_mapfs, "[--force] [--discard] [-v] MOUNTPOINT|FILE|FOLDER...",
		"save the changes, report, and unmount",
		"The same as mapfs -u.\n\n"
		"      --force               unmount even if the save fails or files are in use\n"
		"      --discard             drop unsaved changes and the journal\n"
		"  -v, --verbose             show progress even if stderr is not a terminal\n"},
	{"status", &cli_status, "[--json] [MOUNTPOINT|FILE|FOLDER]", "list unsaved changes",
		"Without a name, list all mounts.\n\n"
		"      --json                one object per line: mountpoint, file, and lists of\n"
		"                            changed, new, renamed, removed, kept, refused\n"
		"                            and ignored files\n"},
	{"recover", &cli_recover, "FILE [--list|--extract DIR]",
		"list or copy out the changes in journals",
		"      --list                list the journals (the default)\n"
		"      --extract DIR         copy out the last content of each file\n"},
	{"help", &cli_help, "[COMMAND|commands|options]", "explain a command",
		"Without a word, print the common commands.\n"},
	/* The commands from here on open maps without a mount, and take -o and -d. */
	{"ls", &cli_ls, "[-lR] [--json] FILE [PATH...]", "list the files of a map",
		"      --json                one object per line: path, kind, size, mode, mtime\n"
		"  -l                        show permissions, size and time\n"
		"  -R                        list subdirectories recursively\n"},
	{"cat", &cli_cat, "FILE PATH...", "print files of a map",
		"PATH can be a shell pattern: 'images/*.json'. As with all commands that only\n"
		"read a map, FILE can be -, standard input.\n"},
	{"extract", &cli_extract, "FILE DIR [PATH...]", "copy files of a map to a directory",
		"Without PATH, copy the whole map, like cp -r from a mount. PATH can be a shell\n"
		"pattern. DIR is created if necessary; links in it are not followed. Images are\n"
		"compressed; -o png=stored writes them as a mount shows them.\n"},
	{"put", &cli_put, "[-v] FILE PATH [SOURCE]", "write one file into a map",
		"Without SOURCE, or with -, read the content from standard input.\n" VERBOSE},
	{"rm", &cli_rm, "[-rv] FILE PATH...", "remove files from a map",
		"  -r                        remove directories and their contents\n" VERBOSE},
	{"mv", &cli_mv, "[-v] FILE PATH... TO", "rename files of a map", VERBOSE},
	{"pack", &cli_pack, "DIR FILE|--onto FILE", "make a map from a directory of files",
		"FILE must not exist, or is -, standard output. What a game needs and DIR lacks\n"
		"is added.\n\n"
		"      --all                 pack files that the game's own tool does not pack\n"
		"      --onto FILE           copy into an existing map; its other files stay\n"
		"      --exact               with --onto: remove files that DIR lacks\n"
		"      --format=NAME         format, if the ending of FILE is not enough\n"
		"      --index               add the lists that mapfs index makes\n"
		"      --skip-refused        skip refused files; exit with 5\n" VERBOSE},
	{"index", &cli_index, "[-nv] [--exact] FILE",
		"rebuild the lists of a Torchlight II archive",
		"UNITDATA.RAW and similar lists are made from the units, skills, affixes and so\n"
		"on. Rows of files that are not in the archive stay.\n\n"
		"  -n, --dry-run             only report which rows would differ\n"
		"      --exact               remove rows of files that are not in the archive\n"
		"  -v, --verbose             report rows that differ and rows that stay\n"},
	{"automap", &cli_automap, "[-n] [OPTION...] MAP|FOLDER [OUT]|LAYER",
		"redraw layers of a map by their rules",
		"Redraws each tile layer that has a config in its layer.json. OUT can be -,\n"
		"standard output. LAYER is the directory of a layer in a mount. The rules are the\n"
		"file IMAGE.rules beside the map, or in the directory of the game.\n\n"
		"      --in-place            overwrite all given maps, and maps in given folders\n"
		"  -n, --dry-run             only report what would be drawn\n"
		"      --layer PATH          only this layer; can be repeated\n"
		"      --automatic           only layers that the editor would draw by itself\n"
		"      --config NAME|N       use this configuration instead of the layer's\n"
		"      --seed N              use this seed instead of the layer's\n"
		"      --no-limit            accept rules and maps of any size; list all faults\n"
		"      --rules FILE|DIR      use these rules, or search this directory, too\n"
		"      --reference NAME      the first run reads the game layer: game, hookable,\n"
		"                            death, unhookable, freeze, unfreeze, deep-freeze ...\n"
		"      --list                list the configurations for each layer, or those of\n"
		"                            rules files (NAME.rules), and write nothing\n"
		"      --check               check the given rules files\n"},
	{"cp", &cli_cp, "[-n] [OPTION...] [-t DIR] FROM [PATH...] TO",
		"copy parts of a map into another one",
		"PATH is a group, layer, image, sound or envelope of the map FROM, or a pattern.\n"
		"Images, sounds and envelopes that it refers to come along, unless the map TO has\n"
		"equal ones. 'groups/*' appends a map, without the group of the game layer.\n\n"
		"  -t, --target DIR          directory in TO: for layers, a group\n"
		"      --at X,Y              move the copied groups by so many tiles\n"
		"      --settings            append the settings that TO lacks\n"
		"      --no-references       copy nothing else; references become none\n"
		"      --output OUT          write OUT instead of TO; can be -, standard output\n"
		"  -n, --dry-run             only report what would be done\n"
		"      --json                one object per line: action, from, to, detail\n"},
	{"edit", &cli_edit, "[-n] [OPTION...] MAP OPERATION...",
		"replace tiles and copy areas of a map",
		"The operations are performed in order, all or none. Numbers are tiles, from 0:\n\n"
		"  replace OLD[:FLAGS]=NEW[:FLAGS]    in the layers that --layer names\n"
		"  replace FIELD:OLD=NEW              number, delay, force, max_speed, angle ...\n"
		"  fill X,Y,W,H ID[:FLAGS]            in the layers that --layer names\n"
		"  clear X,Y,W,H                      in the layers that --layer names\n"
		"  area X,Y,W,H OTHER [X2,Y2]         copy an area of the map OTHER\n"
		"  crop X,Y,W,H                       keep only this rectangle\n"
		"  extend LEFT,TOP,RIGHT,BOTTOM       add tiles that repeat the border\n"
		"  shift DX,DY                        move everything\n"
		"  gametiles LAYER ID                 set ID in the game layer, under LAYER\n\n"
		"FLAGS are a number or XFLIP, YFLIP, ROTATE, with + between them.\n\n"
		"      --layer PATH          only layers that match; can be repeated\n"
		"      --output OUT          write OUT, or - for standard output, instead of MAP\n"
		"  -n, --dry-run             only report what would be done\n"
		"      --front               gametiles: set tiles of the front layer\n"
		"      --json                one object per line: file, path, status, text\n"
		"      --no-limit            accept a map of any size\n"},
	{"convert", &cli_convert, "[-n] [OPTION...] --to GAME MAP|FOLDER [OUT]",
		"convert maps for another game",
		"GAME is 0.7, 0.6 or ddnet. All maps of a FOLDER are converted to the folder OUT,\n"
		"except those that are not newer than the file there.\n\n"
		"      --to GAME             the game to convert to\n"
		"      --in-place            overwrite all given maps, and maps in given folders\n"
		"  -n, --dry-run             only report what would be done\n"
		"      --scale               enlarge images that 0.7 cannot use for tiles\n"
		"      --strip               remove what the game ignores\n"
		"      --mapres DIR          search images of the maps' game in DIR, too\n"},
	{"tidy", &cli_tidy, "[-n] [OPTION...] MAP [OUT]", "make a map smaller",
		"Removes unused and duplicate images, sounds, envelopes and data, and compresses\n"
		"the rest as well as possible. OUT can be -, standard output. If there is nothing\n"
		"to do, nothing is written.\n\n"
		"      --in-place            overwrite all given maps, and maps in given folders\n"
		"  -n, --dry-run             only report what would be done\n"
		"      --keep PATH           keep this path or pattern; can be repeated\n"
		"      --layers              remove empty layers, groups, columns and rows\n"
		"      --pixels              clear pixels of images that no layer shows\n"
		"      --hash-names          with --pixels: name images after their new content\n"
		"      --external            make images external that the game has\n"
		"      --embed               embed images that the game has\n"
		"      --mapres DIR          directory of the game's images\n"
		"      --no-limit            accept a map of any size\n"},
	{"grep", &cli_grep, "[-Eciln] PATTERN FILE|FOLDER...|FILE PATH...",
		"search the texts of maps",
		"Searches info/*, which describes a map and how it is played, or:\n\n"
		"      --in GLOB             search files with these paths; can be repeated\n"
		"  -E -c -i -l -n            as in grep\n"},
	{"check", &cli_check, "[-n] [OPTION...] FILE|FOLDER...",
		"report what a game would refuse in a map",
		"With --rules or --for, exits with 5 if there are warnings. Faults that --fix\n"
		"repairs are marked with (fixable).\n\n"
		"      --fix                 repair the maps, and report the other faults\n"
		"      --fix=settings        repair misspelt settings, too\n"
		"      --output OUT          with --fix: write the map to OUT; -, standard output\n"
		"  -n, --dry-run             with --fix: only report what would be done\n"
		"      --json                one object per line: file, level, problem, fixable\n"
		"      --no-limit            print all lines; accept maps of any size\n"
		"      --rules ddnet|FILE    check the rules of DDNet's testers, or those in FILE\n"
		"                            (JSON); can be repeated\n"
		"      --for 0.6|0.7|ddnet   report what that game does not load or show\n"},
	{"du", &cli_du, "[--json] FILE|FOLDER...", "show which parts of a map take how many bytes",
		"The largest part is first; sums end with a slash.\n\n"
		"      --json                one object per line: file, path, bytes, used\n"},
	{"text", &cli_text, "FILE [PATH...]", "print all of a map as one text",
		"The text is the same after a save. Other files have their size and a checksum.\n"
		"Tables of layers are in pieces of 16 cells; omitted cells are 0.\n"},
	{"preview", &cli_preview, "[--size N] FILE [[PATH] OUT.png]",
		"draw a map, or a texture, as a picture",
		"      --size N              pixels of the longest side (1024)\n"
		"      --entities            draw the physics layers, in plain colors\n"
		"      --layer PATH          draw only this layer or group: groups/0/layers/1\n"
		"Without OUT.png, or with -, the picture is written to standard output, unless\n"
		"that is a terminal.\n"
		"In a Torchlight II archive, PATH is a texture (.DDS), an .IMAGESET, or a part of\n"
		"one: X.IMAGESET:NAME\n"},
	{"merge", &cli_merge, "BASE OURS THEIRS OUT", "merge two versions of a map",
		"OUT becomes OURS with the changes of THEIRS since BASE. In a conflict, OUT gets\n"
		"ours, OUT.mapfs-left/ gets theirs, and the exit code is 1. OUT can be -,\n"
		"standard output.\n\n"
		"  -L, --label NAME          map name for messages and NAME.mapfs-left/\n"
		"      --mark                add a layer CONFLICT with the cells in conflict\n"},
	{"diff", &cli_diff, "[-q] [OPTION...] FILE FILE", "compare two maps",
		"      --full                print all cells and lines, even if there are many\n"
		"      --images DIR          draw changed images and tiles, and both maps\n"
		"      --json                one object per line: path, kind, before, after\n"
		"      --no-limit            accept maps of any size\n"
		"      --markdown            print a page for a review, physics layers first\n"
		"  -q, --brief               only list files that differ\n"},
	{0},
};

const struct cli_command *cli_command_named(const char *name)
{
	for (const struct cli_command *c = cli_commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

static bool is_typo(const char *a, const char *b)
{
	for (; *a && *a == *b; a++)
		b++;
	if ((*a && strcmp(a + 1, b) == 0) || (*b && strcmp(a, b + 1) == 0))
		return true;
	if (!*a || !*b)
		return false;
	return strcmp(a + 1, b + 1) == 0 ||
	       (a[0] == b[1] && a[1] == b[0] && strcmp(a + 2, b + 2) == 0);
}

const struct cli_command *cli_command_like(const char *word)
{
	for (const struct cli_command *c = cli_commands; word[0] != '-' && c->name; c++)
		if (is_typo(word, c->name))
			return c;
	return NULL;
}

void cli_print_command_help(FILE *out, const char *name)
{
	static const char common[] =
		"  -o OPTION[,OPTION...]     as for a mount (mapfs help options)\n"
		"  -d, --debug               warn if the kernel lacks a sandbox feature\n";
	const struct cli_command *c = cli_command_named(name);
	bool opens = c >= cli_command_named("ls");

	fprintf(out, "Usage: mapfs %s%s %s\n\n%s.\n\n%s%s", c->name,
		opens ? " [-o OPTION,...]" : "", c->arguments, c->summary, c->help ? c->help : "",
		opens ? common : "");
}
