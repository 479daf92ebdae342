#define _GNU_SOURCE
#include "CGlibc.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

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
  // Nothing of ours: the access is repeated, and meets who was here before.
  sigaction(signal, &formerAction, NULL);
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
