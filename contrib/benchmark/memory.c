/* SPDX-License-Identifier: Zlib */
/*
 * benchmark-memory DIR MOUNTPOINT: the least that a FUSE mount costs: the files of one directory,
 * served from memory, several threads at a time. For contrib/bench.
 */
#define FUSE_USE_VERSION 314
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 4096 };

static struct memory_file {
	char *name;
	char *data;
	size_t size;
} files[FILES_MAX];
static size_t n_files;

static const struct memory_file *find(const char *path)
{
	for (size_t i = 0; i < n_files; i++)
		if (strcmp(files[i].name, path + 1) == 0)
			return &files[i];
	return NULL;
}

static void *op_init(struct fuse_conn_info *conn, struct fuse_config *cfg)
{
	(void)conn;
	cfg->kernel_cache = 1;
	cfg->entry_timeout = cfg->attr_timeout = 86400;
	return NULL;
}

static int op_getattr(const char *path, struct stat *st, struct fuse_file_info *fi)
{
	const struct memory_file *f = find(path);

	(void)fi;
	*st = (struct stat){.st_mode = S_IFDIR | 0755, .st_nlink = 2};
	if (strcmp(path, "/") == 0)
		return 0;
	if (!f)
		return -ENOENT;
	*st = (struct stat){.st_mode = S_IFREG | 0444, .st_nlink = 1, .st_size = (off_t)f->size};
	return 0;
}

static int op_readdir(const char *path, void *buf, fuse_fill_dir_t fill, off_t off,
	struct fuse_file_info *fi, enum fuse_readdir_flags flags)
{
	(void)path, (void)off, (void)fi, (void)flags;
	for (size_t i = 0; i < n_files; i++)
		fill(buf, files[i].name, NULL, 0, 0);
	return 0;
}

static int op_read(const char *path, char *dst, size_t n, off_t off, struct fuse_file_info *fi)
{
	const struct memory_file *f = find(path);

	(void)fi;
	if (!f)
		return -ENOENT;
	if ((size_t)off >= f->size)
		return 0;
	n = f->size - (size_t)off < n ? f->size - (size_t)off : n;
	memcpy(dst, f->data + off, n);
	return (int)n;
}

static const struct fuse_operations ops = {
	.init = op_init, .getattr = op_getattr, .readdir = op_readdir, .read = op_read};

static int load(int dirfd, const char *name)
{
	struct memory_file *f = &files[n_files];
	int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	f->name = strdup(name);
	f->data = malloc((size_t)st.st_size + 1);
	while (f->data && f->size < (size_t)st.st_size) {
		ssize_t n = read(fd, f->data + f->size, (size_t)st.st_size - f->size);

		if (n <= 0)
			return -1;
		f->size += (size_t)n;
	}
	close(fd);
	n_files++;
	return 0;
}

int main(int argc, char **argv)
{
	DIR *d = argc == 3 ? opendir(argv[1]) : NULL;
	struct dirent *en;

	if (!d)
		return 1;
	while ((en = readdir(d)) && n_files < FILES_MAX)
		if (en->d_type == DT_REG && load(dirfd(d), en->d_name) < 0)
			return 1;
	closedir(d);
	return fuse_main(2, ((char *[]){argv[0], argv[2], NULL}), &ops, NULL);
}
