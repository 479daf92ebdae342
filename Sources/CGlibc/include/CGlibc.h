// What Glibc's module does not offer to Swift: headers it leaves out, atomics on a mapped page, variadic calls.
#pragma once
#include <fcntl.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline uint64_t cglibc_atomic_load(const uint64_t *at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
static inline uint64_t cglibc_atomic_increment(uint64_t *at) { return __atomic_add_fetch(at, 1, __ATOMIC_ACQ_REL); }

// GNU functions that <string.h> declares for _GNU_SOURCE only.
extern void *memmem(const void *haystack, size_t count, const void *needle, size_t needleCount);
extern void *memrchr(const void *bytes, int byte, size_t count);

static inline const void *cglibc_find(const void *in, size_t count, const void *needle, size_t needleCount) {
  return memmem(in, count, needle, needleCount);
}
static inline const void *cglibc_find_last(const void *in, int byte, size_t count) { return memrchr(in, byte, count); }

static inline int cglibc_pidfd_open(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }
