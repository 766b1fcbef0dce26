/* SPDX-License-Identifier: Zlib */
/* The table of commands, and the help page of each. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

#define VERBOSE "  -v, --verbose             say what was saved and removed\n"

const struct cli_command cli_commands[] = {
	{"mount", &cli_mapfs, "[-o OPTION,...] [-f] [-d] [--new] FILE|FOLDER [MOUNTPOINT]",
		"mount a map, or a folder of maps, as a directory",
		"The word may be left out: mapfs FILE. Without MOUNTPOINT a directory is made\n"
		"beside FILE, named after it without the ending, and removed at unmount. Of a\n"
		"FOLDER each map is a directory of the file's own name, and the mount is\n"
		"FOLDER.mapfs. What is changed is saved at unmount and at `sync MOUNTPOINT`,\n"
		"all or nothing.\n\n"
		"      --new                 make FILE; what a game needs is added at the save\n"
		"      --format=NAME         with --new, where the ending of FILE does not say\n"
		"  -f, --foreground          stay in the foreground, messages on stderr\n"
		"  -d, --debug               trace the requests; implies -f\n"
		"  -o OPTION[,OPTION...]     mapfs help options says which\n"},
	{"umount", &cli_mapfs, "[--force] [--discard] [-v] MOUNTPOINT|FILE|FOLDER...",
		"save the changes, report, and unmount",
		"The same as mapfs -u.\n\n"
		"      --force               also if the save fails or files are in use\n"
		"      --discard             throw away what is not saved, and the journal\n"
		"  -v, --verbose             show progress also if stderr is no terminal\n"},
	{"status", &cli_status, "[--json] [MOUNTPOINT|FILE|FOLDER]", "list unsaved changes",
		"Without a name, of all mounts.\n\n"
		"      --json                an object a line: mountpoint, file, and what is\n"
		"                            changed, new, renamed, removed, kept,\n"
		"                            refused, ignored\n"},
	{"recover", &cli_recover, "FILE [--list|--extract DIR]",
		"list or copy out the changes in journals",
		"      --list                say what they hold (the default)\n"
		"      --extract DIR         copy out the last content of each file\n"},
	{"help", &cli_help, "[COMMAND|commands|options]", "explain a command",
		"Without a word, print the common commands.\n"},
	/* The commands from here on open maps without a mount, and take -o and -d. */
	{"ls", &cli_ls, "[-lR] [--json] FILE [PATH...]", "list the files of a map",
		"      --json                an object a line: path, kind, size, mode, mtime\n"
		"  -l                        permissions, size and time too\n"
		"  -R                        all that is below\n"},
	{"cat", &cli_cat, "FILE PATH...", "print files of a map",
		"A PATH may be a pattern of the shell: 'images/*.json'. FILE may be -, as of all\n"
		"commands that only read a map: standard input.\n"},
	{"extract", &cli_extract, "FILE DIR [PATH...]", "copy files of a map to a directory",
		"Without a PATH all of the map is copied, as cp -r does from a mount. A PATH\n"
		"may be a pattern. DIR is made if need be; links in it are not followed. Images\n"
		"are compressed; -o png=stored writes them as a mount shows them.\n"},
	{"put", &cli_put, "[-v] FILE PATH [SOURCE]", "write one file into a map",
		"Without SOURCE, or with -, the content is read from standard input.\n" VERBOSE},
	{"rm", &cli_rm, "[-rv] FILE PATH...", "remove files from a map",
		"  -r                        directories too, with all that is in them\n" VERBOSE},
	{"mv", &cli_mv, "[-v] FILE PATH... TO", "rename files of a map", VERBOSE},
	{"pack", &cli_pack, "DIR FILE|--onto FILE", "make a map from a directory of files",
		"FILE must not exist, or is -, standard output; what a game needs and DIR\n"
		"has not is added.\n\n"
		"      --all                 also files that the game's own tool does not pack\n"
		"      --onto FILE           the files go onto a map that is there; others stay\n"
		"      --exact               with --onto: what DIR has not goes\n"
		"      --format=NAME         where the ending of FILE does not say\n"
		"      --index               with the lists that mapfs index makes\n"
		"      --skip-refused        without the files that are refused; exits "
		"5\n" VERBOSE},
	{"index", &cli_index, "[-nv] [--exact] FILE",
		"rebuild the lists of a Torchlight II archive",
		"UNITDATA.RAW and its like follow from the units, skills, affixes and so on;\n"
		"rows of files that are not in the archive stay.\n\n"
		"  -n, --dry-run             only say which rows would differ\n"
		"      --exact               rows of files that are not there go\n"
		"  -v, --verbose             say what differs, and which rows stay\n"},
	{"automap", &cli_automap, "[-n] [OPTION...] MAP|FOLDER [OUT]|LAYER",
		"redraw layers of a map by their rules",
		"Each tile layer is drawn that has a config in its layer.json. OUT may be -,\n"
		"standard output; a LAYER is a layer's directory in a mount. Rules are the file\n"
		"IMAGE.rules beside the map, or where the game has them.\n\n"
		"      --in-place            all that are named are maps, or folders of maps\n"
		"  -n, --dry-run             only say what would be drawn\n"
		"      --layer PATH          only this layer; may be given several times\n"
		"      --automatic           only layers that the editor would draw by itself\n"
		"      --config NAME|N       another configuration than the layer's\n"
		"      --seed N              another seed\n"
		"      --no-limit            rules and maps of any size, and all faults of rules\n"
		"      --rules FILE|DIR      rules for all, or where rules are looked for, too\n"
		"      --reference NAME      the first run reads the game layer: game, hookable,\n"
		"                            death, unhookable, freeze, unfreeze, deep-freeze ...\n"
		"      --list                list the configurations for each layer, or those of\n"
		"                            files of rules (NAME.rules), and write nothing\n"
		"      --check               what is named is rules: say what is wrong in them\n"},
	{"convert", &cli_convert, "[-n] [OPTION...] --to GAME MAP|FOLDER [OUT]",
		"convert maps for another game",
		"GAME is 0.7, 0.6 or ddnet. Of a FOLDER all maps go to the folder OUT, but those\n"
		"that are not newer than what is there.\n\n"
		"      --to GAME             the game that the maps are for\n"
		"      --in-place            all that are named are maps, or folders of maps\n"
		"  -n, --dry-run             only say what would be done\n"
		"      --scale               images of which 0.7 makes no tiles become larger\n"
		"      --strip               what the game ignores is left out\n"
		"      --mapres DIR          where images of the maps' game are, too\n"},
	{"tidy", &cli_tidy, "[-n] [OPTION...] MAP [OUT]", "make a map smaller",
		"What nobody can see goes: images, sounds, envelopes and data that nothing uses,\n"
		"or that are there twice; the rest is compressed as well as can be. OUT may be\n"
		"-, standard output. Where nothing is to do nothing is written.\n\n"
		"      --in-place            all that are named are maps, or folders of maps\n"
		"  -n, --dry-run             only say what would be done\n"
		"      --keep PATH           this stays; may be a pattern, and be given again\n"
		"      --layers              empty layers, groups, columns and rows go, too\n"
		"      --pixels              pixels that nothing shows go, too\n"
		"      --hash-names          with --pixels: images are called after what is left\n"
		"      --external            images leave the map that the game has\n"
		"      --embed               ... come into it\n"
		"      --mapres DIR          where the game's images are\n"
		"      --no-limit            a map of any size\n"},
	{"grep", &cli_grep, "[-Eciln] PATTERN FILE|FOLDER...|FILE PATH...",
		"search the texts of maps",
		"What says what a map is and how it is played is searched (info/*), or:\n\n"
		"      --in GLOB             files of these paths; may be given several times\n"
		"  -E -c -i -l -n            as those of grep\n"},
	{"check", &cli_check, "[OPTION...] FILE|FOLDER...",
		"report what a game would refuse in a map",
		"With --rules or --for it exits 5 where there are warnings.\n\n"
		"      --json                an object a line: file, level, problem\n"
		"      --no-limit            all lines, and maps of any size\n"
		"      --rules ddnet|FILE    what DDNet's testers ask of maps, or a house that\n"
		"                            wrote a FILE (JSON); may be given several times\n"
		"      --for 0.6|0.7|ddnet   what that game does not load or show\n"},
	{"du", &cli_du, "[--json] FILE|FOLDER...", "show which parts of a map take how many bytes",
		"The largest first; sums end with a slash.\n\n"
		"      --json                an object a line: file, path, bytes, used\n"},
	{"text", &cli_text, "FILE [PATH...]", "print all of a map as one text",
		"The same from save to save; of what is no text the size and a checksum.\n"
		"Tables of layers are in pieces of 16 cells; what is left out is 0.\n"},
	{"preview", &cli_preview, "[--size N] FILE [[PATH] OUT.png]",
		"draw a map, or a texture, as a picture",
		"      --size N              pixels of the longest side (1024)\n"
		"      --entities            what the game works with, in plain colours\n"
		"      --layer PATH          one layer or group alone: groups/0/layers/1\n"
		"Without OUT.png, or with -, the picture goes to standard output, if that is no\n"
		"terminal.\n"
		"Of a Torchlight II archive PATH is a texture (.DDS), an .IMAGESET, or one's\n"
		"part: X.IMAGESET:NAME\n"},
	{"merge", &cli_merge, "BASE OURS THEIRS OUT", "merge two versions of a map",
		"OUT becomes OURS with what THEIRS changed since BASE. Where both changed one\n"
		"thing ours stays, theirs goes to OUT.mapfs-left/, and the exit code is 1. OUT\n"
		"may be -, standard output.\n\n"
		"  -L, --label NAME          of the map, for messages and NAME.mapfs-left/\n"
		"      --mark                a layer CONFLICT shows cells that both changed\n"},
	{"diff", &cli_diff, "[-q] [OPTION...] FILE FILE", "compare two maps",
		"      --full                all cells and lines, also where there are many\n"
		"      --images DIR          pictures of images and tiles that changed, and of\n"
		"                            both maps\n"
		"      --json                an object a line: path, kind, before, after\n"
		"      --no-limit            maps of any size\n"
		"      --markdown            a page for a review: what the game plays with first\n"
		"  -q, --brief               only which files\n"},
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
		"  -d, --debug               tell what the kernel lacks for the sandbox\n";
	const struct cli_command *c = cli_command_named(name);
	bool opens = c >= cli_command_named("ls");

	fprintf(out, "Usage: mapfs %s%s %s\n\n%s.\n\n%s%s", c->name,
		opens ? " [-o OPTION,...]" : "", c->arguments, c->summary, c->help ? c->help : "",
		opens ? common : "");
}
