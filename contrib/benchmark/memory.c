/* SPDX-License-Identifier: Zlib */
/*
 * benchmark-memory DIR MOUNTPOINT: the least that a FUSE mount costs: the tree of DIR, read into
 * memory before, and served from there. Whatever the kernel can be spared, it is spared: it may
 * remember all for a day, opens without asking, and a listing brings the attributes. One thread, as
 * more of them only wake each other. For contrib/bench.
 */
#define FUSE_USE_VERSION 314
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double timeout = 86400;

/* The inode of nodes[i] is i + FUSE_ROOT_ID. The children of a directory stand side by side, by
 * name. */
struct inode {
	char *path;
	const char *name;
	struct stat st;
	char *data;
	size_t first, count;
};

static struct inode *nodes;
static size_t n_nodes, room;
static unsigned capable;

static struct inode *inode_of(fuse_ino_t ino)
{
	return &nodes[ino - FUSE_ROOT_ID];
}

static struct fuse_entry_param entry_of(const struct inode *n)
{
	return (struct fuse_entry_param){.ino = n->st.st_ino,
		.attr = n->st,
		.attr_timeout = timeout,
		.entry_timeout = timeout};
}

static int by_name(const void *key, const void *member)
{
	return strcmp(key, ((const struct inode *)member)->name);
}

/* ---- requests */

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	(void)userdata;
	capable = conn->capable;
	/* Attributes with every listing, also where nobody asked for the last ones; and no look
	 * whether a file is another now: none is. */
	conn->want &= ~(unsigned)(FUSE_CAP_READDIRPLUS_AUTO | FUSE_CAP_AUTO_INVAL_DATA);
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	const struct inode *d = inode_of(parent);
	const struct inode *n = bsearch(name, nodes + d->first, d->count, sizeof(*n), by_name);
	struct fuse_entry_param e = {.entry_timeout = timeout};

	if (n)
		e = entry_of(n);
	fuse_reply_entry(req, &e);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)fi;
	fuse_reply_attr(req, &inode_of(ino)->st, timeout);
}

/* ENOSYS, once: the kernel opens without us from then on, and keeps what it has read. */
static void reply_open(fuse_req_t req, struct fuse_file_info *fi, unsigned spares)
{
	fi->keep_cache = fi->cache_readdir = 1;
	if (capable & spares)
		fuse_reply_err(req, ENOSYS);
	else
		fuse_reply_open(req, fi);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	reply_open(req, fi, FUSE_CAP_NO_OPEN_SUPPORT);
}

static void op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	reply_open(req, fi, FUSE_CAP_NO_OPENDIR_SUPPORT);
}

static void op_readdirplus(
	fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	const struct inode *d = inode_of(ino);
	char *out = malloc(size);
	size_t used = 0;

	(void)fi;
	for (size_t i = (size_t)off; out && i < d->count; i++) {
		const struct inode *n = &nodes[d->first + i];
		struct fuse_entry_param e = entry_of(n);
		size_t left = size - used, needed;

		needed = fuse_add_direntry_plus(req, out + used, left, n->name, &e, (off_t)i + 1);
		if (needed > left)
			break;
		used += needed;
	}
	fuse_reply_buf(req, out, used);
	free(out);
}

static void op_read(
	fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	const struct inode *n = inode_of(ino);
	size_t left = off < n->st.st_size ? (size_t)(n->st.st_size - off) : 0;

	(void)fi;
	fuse_reply_buf(req, left ? n->data + off : NULL, left < size ? left : size);
}

static const struct fuse_lowlevel_ops ops = {.init = op_init,
	.lookup = op_lookup,
	.getattr = op_getattr,
	.open = op_open,
	.opendir = op_opendir,
	.readdirplus = op_readdirplus,
	.read = op_read};

/* ---- the tree */

static void check(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static void add(const char *path)
{
	struct inode *n;

	if (n_nodes == room) {
		room = room ? 2 * room : 1024;
		nodes = realloc(nodes, room * sizeof(*nodes));
		check(nodes != NULL, path);
	}
	n = &nodes[n_nodes];
	*n = (struct inode){.path = strdup(path)};
	check(n->path && lstat(path, &n->st) == 0, path);
	n->name = strrchr(n->path, '/') + 1;
	n->st.st_ino = n_nodes++ + FUSE_ROOT_ID;
}

static void load_file(struct inode *n)
{
	int fd = open(n->path, O_RDONLY | O_CLOEXEC);
	off_t done = 0;
	ssize_t got;

	n->data = malloc((size_t)n->st.st_size + 1);
	check(fd >= 0 && n->data, n->path);
	while (done < n->st.st_size) {
		got = read(fd, n->data + done, (size_t)(n->st.st_size - done));
		check(got > 0, n->path);
		done += got;
	}
	close(fd);
}

static int is_file_or_dir(const struct dirent *en)
{
	return (en->d_type == DT_REG || en->d_type == DT_DIR) && strcmp(en->d_name, ".") != 0 &&
	       strcmp(en->d_name, "..") != 0;
}

static int in_order(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Adding moves the nodes: so this goes by number. */
static void load_dir(size_t dir)
{
	struct dirent **names;
	int count = scandir(nodes[dir].path, &names, is_file_or_dir, in_order);

	check(count >= 0, nodes[dir].path);
	nodes[dir].first = n_nodes;
	nodes[dir].count = (size_t)count;
	for (int i = 0; i < count; i++) {
		char *path;

		check(asprintf(&path, "%s/%s", nodes[dir].path, names[i]->d_name) > 0, "asprintf");
		add(path);
		free(path);
		free(names[i]);
	}
	free(names);
}

static void load(const char *top)
{
	add(top);
	for (size_t i = 0; i < n_nodes; i++)
		if (S_ISDIR(nodes[i].st.st_mode))
			load_dir(i);
		else
			load_file(&nodes[i]);
}

int main(int argc, char **argv)
{
	/* What is read-only has no time of the last reading, which would be asked for after each.
	 */
	char *read_only[] = {argv[0], "-oro"};
	struct fuse_args args = FUSE_ARGS_INIT(2, read_only);
	struct fuse_session *se = fuse_session_new(&args, &ops, sizeof(ops), NULL);

	if (argc != 3 || argv[1][0] != '/' || !se) {
		fprintf(stderr, "benchmark-memory DIR MOUNTPOINT, DIR from the root\n");
		return 1;
	}
	load(argv[1]);
	if (fuse_session_mount(se, argv[2]) < 0 || fuse_set_signal_handlers(se) < 0 ||
		fuse_daemonize(0) < 0)
		return 1;
	fuse_session_loop(se);
	fuse_session_unmount(se);
	return 0;
}
