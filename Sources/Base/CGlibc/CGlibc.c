#define _GNU_SOURCE
#include "CGlibc.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sysexits.h>

// Guarded pages: mappings of files that others may cut off. A slot is used again but never freed, so that the handler
// can walk the list at any time.
struct cglibc_page {
  struct cglibc_page *next;
  uintptr_t start;
  size_t size;
  int isLost;
};

static struct cglibc_page *guarded;
static struct sigaction formerAction;

static void replaceLostPage(int signal, siginfo_t *info, void *context) {
  (void)context;
  int error = errno;
  uintptr_t at = (uintptr_t)info->si_addr;
  for (struct cglibc_page *page = __atomic_load_n(&guarded, __ATOMIC_ACQUIRE); page; page = page->next) {
    uintptr_t start = __atomic_load_n(&page->start, __ATOMIC_ACQUIRE);
    if (start == 0 || at < start || at - start >= page->size) continue;
    __atomic_store_n(&page->isLost, 1, __ATOMIC_RELEASE);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    if (mmap((void *)start, page->size, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED) break;
    errno = error;
    return;
  }
  // Nothing of ours: the access is repeated, or the signal is sent again, and meets who was here before.
  sigaction(signal, &formerAction, NULL);
  if (info->si_code <= 0) syscall(SYS_rt_tgsigqueueinfo, getpid(), (int)syscall(SYS_gettid), signal, info);
  errno = error;
}

static void installHandler(void) {
  struct sigaction action = {.sa_sigaction = replaceLostPage, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &formerAction);
}

struct cglibc_page *cglibc_guard_page(void *start, size_t size) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_once(&once, installHandler);
  pthread_mutex_lock(&lock);
  struct cglibc_page *page = guarded;
  while (page && page->start != 0) page = page->next;
  if (page) {
    page->size = size;
    __atomic_store_n(&page->isLost, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&page->start, (uintptr_t)start, __ATOMIC_RELEASE);
  } else if ((page = calloc(1, sizeof *page))) {
    *page = (struct cglibc_page){.next = guarded, .start = (uintptr_t)start, .size = size};
    __atomic_store_n(&guarded, page, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&lock);
  return page;
}

void cglibc_unguard_page(struct cglibc_page *page) { __atomic_store_n(&page->start, 0, __ATOMIC_RELEASE); }

int cglibc_is_page_lost(const struct cglibc_page *page) { return __atomic_load_n(&page->isLost, __ATOMIC_ACQUIRE); }

static int argumentCount;
static char **argumentValues;

// The C library hands these to constructors. Swift reads /proc/self/cmdline, and where /proc is not mounted finds none.
__attribute__((constructor)) static void keepArguments(int count, char **values, char **environment) {
  (void)environment;
  argumentCount = count;
  argumentValues = values;
}

// Before main, Swift looks for its own library in /proc/self/maps, and aborts where /proc is not mounted. With SWIFT_ROOT
// set it does not look. A static executable needs no such library, so any folder will do.
static int hasNamedRoot;

__attribute__((constructor(101))) static void nameSwiftRoot(void) {
  hasNamedRoot = getenv("SWIFT_ROOT") == NULL && setenv("SWIFT_ROOT", "/", 1) == 0;
}

void cglibc_restore_environment(void) {
  if (hasNamedRoot) unsetenv("SWIFT_ROOT");
}

int cglibc_argument_count(void) { return argumentCount; }
const char *cglibc_argument(int index) { return argumentValues[index]; }

// Limits of the process below which a program would crash instead of reporting an error: Swift and its thread pool end
// the process without memory or threads. Looked at before Swift starts. docs/host/time-limits-and-errors.md has the numbers.
enum { NEEDED_MEGABYTES = 256, NEEDED_FILES = 32, NEEDED_THREADS = 16, MANY_PROCESSES = 4096 };

__attribute__((format(printf, 1, 2))) static void refuse(const char *format, ...) {
  dprintf(STDERR_FILENO, "%s: ", program_invocation_short_name);
  va_list values;
  va_start(values, format);
  vdprintf(STDERR_FILENO, format, values);
  va_end(values);
  _exit(EX_OSERR);
}

static rlim_t limitOf(__rlimit_resource_t resource) {
  struct rlimit limit;
  return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

static pthread_mutex_t probing = PTHREAD_MUTEX_INITIALIZER;

static void *waitForProbe(void *nothing) {
  pthread_mutex_lock(&probing);
  pthread_mutex_unlock(&probing);
  return nothing;
}

// Whether so many threads can run at the same time.
static int hasThreads(int needed) {
  pthread_t threads[NEEDED_THREADS];
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 1 << 16);
  int count = 0;
  pthread_mutex_lock(&probing);
  while (count < needed && pthread_create(&threads[count], &attributes, waitForProbe, NULL) == 0) count++;
  pthread_mutex_unlock(&probing);
  for (int index = 0; index < count; index++) pthread_join(threads[index], NULL);
  pthread_attr_destroy(&attributes);
  return count == needed;
}

__attribute__((constructor(102))) static void refuseNarrowLimits(void) {
  unsigned long long memory = limitOf(RLIMIT_AS);
  if (memory < (unsigned long long)NEEDED_MEGABYTES << 20) {
    refuse("the limit of address space is %llu MB, and at least %d MB are needed. Raise it: ulimit -v %d\n",
           memory >> 20, NEEDED_MEGABYTES, NEEDED_MEGABYTES << 10);
  }
  unsigned long long files = limitOf(RLIMIT_NOFILE);
  if (files < NEEDED_FILES) {
    refuse("the limit of open files is %llu, and at least %d are needed. Raise it: ulimit -n 1024\n", files,
           NEEDED_FILES);
  }
  unsigned long long processes = limitOf(RLIMIT_NPROC);
  if (processes < MANY_PROCESSES && !hasThreads(NEEDED_THREADS)) {
    refuse("the limit of processes and threads of this user is %llu, and %d more threads are needed. Raise it: "
           "ulimit -u %d\n", processes, NEEDED_THREADS, MANY_PROCESSES);
  }
}

extern const char mambridge_newest_library_day __attribute__((weak));

long cglibc_newest_library_day(void) { return (long)&mambridge_newest_library_day; }
