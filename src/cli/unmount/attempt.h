/* SPDX-License-Identifier: Zlib */
/* attempt: calls of an unmount that may block. A mount may not answer, a disk may hang, and the
 * kernel writes pages back before an unmount returns; so they run in a child (cli/child.h).
 * They print to the console of the unmount. The argument is a struct unmount. */
#pragma once

/* Unmount; remove a mount point that was made for the mount. 0, also if it was not mounted; EBUSY:
 * in use; ETXTBSY: in use, and the users are printed (only if unmount.names_users); or an errno or
 * exit status of fusermount3, after a message. */
int attempt_unmount(void *unmount);

/* Save through the mount, and print which files are refused or ignored; with discard only ask
 * whether the mount answers. 0; EEXIST: saved, and there are such files; ENOTCONN: no process
 * serves the mount; or another errno. */
int attempt_save(void *unmount);

/* Print which journals the map, or the maps in the folder, have and what to do with them. 0; EEXIST
 * if there are any; or an errno. */
int attempt_print_journals(void *unmount);
