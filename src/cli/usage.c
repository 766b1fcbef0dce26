/* SPDX-License-Identifier: Zlib */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>

#include "vfs/outcome.h"

static const char help[] =
	"Usage: mapfs [OPTIONS] FILE [MOUNTPOINT]         mount a map\n"
	"       mapfs --new [--format=NAME] FILE [MOUNTPOINT]  make and mount a new map\n"
	"       mapfs -u [--force] MOUNTPOINT             save, report and unmount\n"
	"       mapfs recover FILE [--list|--extract DIR] what journals beside FILE hold\n"
	"\n"
	"A game's map file becomes a directory: images are PNG, sounds are Opus, settings are\n"
	"text, tile layers are tables. Programs change them there, and the map is written anew,\n"
	"safely, at unmount and at `sync MOUNTPOINT`. Without MOUNTPOINT a directory is made\n"
	"beside FILE, named after it without the ending, and removed at unmount.\n"
	"\n"
	"Options:\n"
	"  -o OPTION[,OPTION...]  mount options, see below\n"
	"  -f, --foreground       stay in the foreground, messages on stderr\n"
	"  -d, --debug            trace the requests; implies -f\n"
	"      --new              make FILE; what a game needs is added at the save\n"
	"      --format=NAME      with --new: teeworlds, triclon, torchlight-mod, torchlight-pak\n"
	"  -u, --unmount          unmount\n"
	"      --force            with -u: also if the save fails or files are in use\n"
	"  -v, --verbose          with -u: show progress also if stderr is no terminal\n"
	"  -h, --help             this page\n"
	"  -V, --version          the version\n"
	"\n"
	"Mount options:\n"
	"  ro                     read-only\n"
	"  raw=ro|rw|off          show items and data as they are in raw/ (default ro)\n"
	"  endian= lists= points= how a Triclon map is to be read, see the manual\n"
	"  text=utf8|utf16        Torchlight II: how compiled files are shown as text (utf8)\n"
	"  names=FILE             Torchlight II: further names, one a line\n"
	"  cache=SIZE             memory for unpacked data, with K, M or G (default 64M)\n"
	"  uid=N gid=N umask=M    owner, group and removed permissions of what is shown\n"
	"  allow_other            let other users in\n"
	"\n"
	"Exit codes: 0 done, 1 usage, 2 not a map or refused, 3 mount failed, 4 save failed (old\n"
	"map and journal kept), 5 saved but something was left or refused, 6 conflict, 7 busy.\n";

void cli_print_help(void)
{
	fputs(help, stdout);
}

int cli_usage(const char *fmt, ...)
{
	va_list ap;

	fputs("mapfs: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs(" (see mapfs --help)\n", stderr);
	return OUTCOME_USAGE;
}
