// What Glibc's module does not offer to Swift: headers it leaves out, atomics on a mapped page, variadic calls.
#pragma once
#include <fcntl.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <unistd.h>

static inline uint64_t cglibc_atomic_load(const uint64_t *at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
static inline uint64_t cglibc_atomic_increment(uint64_t *at) { return __atomic_add_fetch(at, 1, __ATOMIC_ACQ_REL); }
