// What Glibc's module does not offer to Swift: headers it leaves out, atomics on a mapped page, variadic calls.
#pragma once
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <linux/stat.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

// Of the process, as main would get them. The index is below the count.
int cglibc_argument_count(void);
const char *cglibc_argument(int index);

// The release of GCC that libstdc++ and libgcc come from.
int cglibc_gcc_release(void);

// The day on which Debian changed the newest of the libraries in the program, such as 20261021; 0 if nobody knows.
// scripts/build lets the linker define a symbol with this address.
long cglibc_newest_library_day(void);

// Takes back what this process changed in its environment before main. Call it before other threads start.
void cglibc_restore_environment(void);

static inline uint64_t cglibc_atomic_load(const uint64_t *at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
static inline void cglibc_atomic_store(uint64_t *at, uint64_t value) { __atomic_store_n(at, value, __ATOMIC_RELEASE); }
static inline uint64_t cglibc_atomic_increment(uint64_t *at) { return __atomic_add_fetch(at, 1, __ATOMIC_ACQ_REL); }

// Gives a counter below 2^32, one that is new or was cut off, its first value.
static inline void cglibc_atomic_begin(uint64_t *at, uint64_t value) {
  uint64_t found = __atomic_load_n(at, __ATOMIC_ACQUIRE);
  if (found < 1ULL << 32) __atomic_compare_exchange_n(at, &found, value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

// A mapping of a file that others may cut off: the SIGBUS of the next access puts zeros of this process alone in its
// place instead of ending the process. NULL without memory. Unguard a page before it is unmapped.
struct cglibc_page;
struct cglibc_page *cglibc_guard_page(void *start, size_t size);
void cglibc_unguard_page(struct cglibc_page *page);
int cglibc_is_page_lost(const struct cglibc_page *page);

// Whether malloc has so much memory in one piece. The pointer is volatile, because a compiler may otherwise leave out a
// malloc whose memory is only freed, and take its success for granted.
static inline int cglibc_has_room(size_t size) {
  void *volatile memory = malloc(size);
  free(memory);
  return memory != NULL;
}

// GNU functions that <string.h> declares for _GNU_SOURCE only.
extern void *memmem(const void *haystack, size_t count, const void *needle, size_t needleCount);
extern void *memrchr(const void *bytes, int byte, size_t count);
// And of <unistd.h> and <spawn.h>.
extern int pipe2(int ends[2], int flags);
// And of <fcntl.h>.
extern int sync_file_range(int file, off_t from, off_t count, unsigned flags);
// And of <pthread.h>.
extern int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *end);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

static inline const void *cglibc_find(const void *in, size_t count, const void *needle, size_t needleCount) {
  return memmem(in, count, needle, needleCount);
}
static inline const void *cglibc_find_last(const void *in, int byte, size_t count) { return memrchr(in, byte, count); }

static inline int cglibc_wipe_on_fork(void *page, size_t size) { return madvise(page, size, MADV_WIPEONFORK); }
// Other processes of the user then cannot read the memory of this one, and it leaves no core dump.
static inline int cglibc_hide_memory(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
static inline int cglibc_pidfd_open(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

// 0, or ETIMEDOUT when another thread has held the mutex for all of the time.
static inline int cglibc_mutex_lock_within(pthread_mutex_t *mutex, int64_t nanoseconds) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  int64_t sum = end.tv_nsec + nanoseconds;
  end.tv_sec += sum / 1000000000;
  end.tv_nsec = sum % 1000000000;
  return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &end);
}

static inline ssize_t cglibc_random(void *bytes, size_t count) { return getrandom(bytes, count, 0); }

// Constants that <fcntl.h> and <stdio.h> define for _GNU_SOURCE only.
enum { CGLIBC_SETSIG = 10, CGLIBC_OFD_SETLK = 37, CGLIBC_SETLEASE = 1024, CGLIBC_GETLEASE = 1025 };
enum { CGLIBC_SYNC_FILE_RANGE_WRITE = 2 };
enum { CGLIBC_SPAWN_SETSID = 0x80 };  // and <spawn.h>
enum { CGLIBC_EMPTY_PATH = 0x1000, CGLIBC_RENAME_NOREPLACE = 1, CGLIBC_RENAME_EXCHANGE = 2 };
enum { CGLIBC_NOATIME = __O_NOATIME, CGLIBC_TMPFILE = __O_TMPFILE | __O_DIRECTORY };

// A lease that is broken sends a signal; SIGIO, the default, would end the process. SIGURG is ignored by default, and
// without an owner of the descriptor not even that is sent.
static inline int cglibc_take_read_lease(int file) {
  if (fcntl(file, CGLIBC_SETSIG, SIGURG) != 0 || fcntl(file, CGLIBC_SETLEASE, F_RDLCK) != 0) return -1;
  return fcntl(file, F_SETOWN, 0);
}
// False as soon as somebody waits for opening the file for writing.
static inline int cglibc_has_read_lease(int file) { return fcntl(file, CGLIBC_GETLEASE) == F_RDLCK; }

static inline int cglibc_start_writeback(int file, int64_t from, int64_t count) {
  return sync_file_range(file, from, count, CGLIBC_SYNC_FILE_RANGE_WRITE);
}

// Takes, or fails to take, one byte of a file for this open file description alone.
static inline int cglibc_lock_byte(int file, int64_t at) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
  return fcntl(file, CGLIBC_OFD_SETLK, &lock);
}

// Nanoseconds since 1970; 0 where the file system does not tell.
static inline int64_t cglibc_birth_time(int file) {
  struct statx status;
  if (syscall(SYS_statx, file, "", CGLIBC_EMPTY_PATH, STATX_BTIME, &status) != 0) return 0;
  if ((status.stx_mask & STATX_BTIME) == 0) return 0;
  return status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec;
}

static inline unsigned cglibc_major(dev_t device) { return major(device); }
static inline unsigned cglibc_minor(dev_t device) { return minor(device); }
// Whether something is mounted there; before Linux 5.8, whether it is the root of a file system. Links are not followed.
static inline int cglibc_is_mount_root(const char *path) {
  struct statx status, parent;
  if (syscall(SYS_statx, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &status) != 0) return 0;
  if (status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) return (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return 0;
  int failed = (int)syscall(SYS_statx, folder, "..", 0, STATX_BASIC_STATS, &parent);
  close(folder);
  return !failed
      && (status.stx_dev_major != parent.stx_dev_major || status.stx_dev_minor != parent.stx_dev_minor);
}

static inline int cglibc_rename_new(int fromFolder, const char *from, int toFolder, const char *to) {
  return (int)syscall(SYS_renameat2, fromFolder, from, toFolder, to, CGLIBC_RENAME_NOREPLACE);
}
static inline int cglibc_rename_exchange(int fromFolder, const char *from, int toFolder, const char *to) {
  return (int)syscall(SYS_renameat2, fromFolder, from, toFolder, to, CGLIBC_RENAME_EXCHANGE);
}
