#define _GNU_SOURCE
#include "CCrash.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "Image.h"
#include "Trace.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

enum { NAME_SIZE = 64, CALLS = 16, STACK_SIZE = 1 << 16, TRACE_SIZE = 1 << 13, PATH_SIZE = 4096 };

static const struct {
  int number;
  const char *name;
} signals[] = {
  {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
  {SIGILL, "SIGILL"},   {SIGSEGV, "SIGSEGV"}, {SIGTRAP, "SIGTRAP"},
};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

static struct sigaction former[SIGNALS];
static int isInstalled;
static char programName[NAME_SIZE], programVersion[NAME_SIZE];
// The file without a name, and where it gets one.
static int file = -1;
static char folder[PATH_SIZE];
// The thread that writes a trace.
static int writer;

// The newest calls. A name may be overwritten while it is read, so only bytes that a name can have are written.
static struct {
  unsigned count;
  char name[NAME_SIZE - sizeof(unsigned)];
} calls[CALLS];
static unsigned callCount;

void ccrash_note_call(const char *name, size_t count) {
  unsigned index = __atomic_fetch_add(&callCount, 1, __ATOMIC_RELAXED) % CALLS;
  if (count > sizeof calls[index].name) count = sizeof calls[index].name;
  __atomic_store_n(&calls[index].count, 0, __ATOMIC_RELAXED);
  memcpy(calls[index].name, name, count);
  __atomic_store_n(&calls[index].count, (unsigned)count, __ATOMIC_RELEASE);
}

static void write_calls(struct trace *trace) {
  unsigned end = __atomic_load_n(&callCount, __ATOMIC_RELAXED);
  for (unsigned at = end > CALLS ? end - CALLS : 0; at != end; at++) {
    unsigned count = __atomic_load_n(&calls[at % CALLS].count, __ATOMIC_ACQUIRE);
    char line[NAME_SIZE];
    if (count == 0 || count > sizeof calls[0].name) continue;
    for (unsigned index = 0; index < count; index++) {
      char byte = calls[at % CALLS].name[index];
      int isPlain = (byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z');
      line[index] = isPlain || (byte && strchr("._-/{}$", byte)) ? byte : '?';
    }
    line[count] = 0;
    trace_text(trace, "call ");
    trace_text(trace, line);
    trace_text(trace, "\n");
  }
}

// Says only roughly where a fault was: the address itself may be content.
static const char *place_of(const siginfo_t *info, const void *context) {
  uintptr_t address = (uintptr_t)info->si_addr;
  if (info->si_code == SI_KERNEL) return " without an address";
  if (address < 1 << 16) return " near zero";
  int isNearStack = address - image_stack_pointer(context) + STACK_SIZE < 2 * STACK_SIZE;
  return isNearStack ? " near the stack pointer" : " elsewhere";
}

static void write_cause(struct trace *trace, const siginfo_t *info, const void *context) {
  if (info->si_code <= 0 && info->si_pid == getpid()) {
    trace_text(trace, "cause sent by itself\n");
  } else if (info->si_code <= 0) {
    trace_text(trace, "cause sent by process ");
    trace_number(trace, (uint64_t)info->si_pid);
    trace_text(trace, " of user ");
    trace_number(trace, info->si_uid);
    trace_text(trace, "\n");
  } else {
    trace_text(trace, "cause fault ");
    trace_number(trace, (uint64_t)info->si_code);
    if (info->si_signo == SIGSEGV || info->si_signo == SIGBUS) trace_text(trace, place_of(info, context));
    trace_text(trace, "\n");
  }
}

static const char *name_of(int number) {
  for (int index = 0; index < SIGNALS; index++) {
    if (signals[index].number == number) return signals[index].name;
  }
  return "none";
}

static void write_trace(struct trace *trace, const siginfo_t *info, const void *context, uint64_t seconds) {
  trace_text(trace, "crash trace 1\nprogram ");
  trace_text(trace, programName);
  trace_text(trace, " ");
  trace_text(trace, programVersion);
  trace_text(trace, "\nbuild ");
  image_write_build(trace);
  trace_text(trace, "\ntime ");
  trace_time(trace, seconds);
  trace_text(trace, "\nprocess ");
  trace_number(trace, (uint64_t)getpid());
  trace_text(trace, "\nthread ");
  trace_number(trace, (uint64_t)syscall(SYS_gettid));
  trace_text(trace, "\nsignal ");
  trace_text(trace, name_of(info->si_signo));
  trace_text(trace, "\n");
  write_cause(trace, info, context);
  write_calls(trace);
  image_write_frames(trace, context);
  trace_text(trace, "end\n");
}

static int is_written(int descriptor, const struct trace *trace) {
  return write(descriptor, trace->bytes, trace->count) == (ssize_t)trace->count;
}

// Gives the open file its name. Where that fails, as without /proc, makes another one.
static int is_kept(const struct trace *trace, uint64_t seconds, char *path) {
  struct trace name = {.bytes = path, .size = PATH_SIZE + NAME_SIZE - 1};
  if (!folder[0]) return 0;
  trace_text(&name, folder);
  path[name.count] = 0;
  mkdir(path, 0700);
  trace_text(&name, "/new-");
  trace_number(&name, seconds);
  trace_text(&name, "-");
  trace_number(&name, (uint64_t)getpid());
  path[name.count] = 0;
  if (file >= 0 && is_written(file, trace)) {
    char link[NAME_SIZE] = {0};
    struct trace text = {.bytes = link, .size = sizeof link - 1};
    trace_text(&text, "/proc/self/fd/");
    trace_number(&text, (uint64_t)file);
    if (linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0) return 1;
  }
  int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return 0;
  if (is_written(descriptor, trace)) return 1;
  unlink(path);
  return 0;
}

// Never waits for a reader.
static void tell(const struct trace *trace) {
  for (size_t at = 0; at < trace->count;) {
    struct pollfd output = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&output, 1, 0) != 1 || !(output.revents & POLLOUT)) return;
    size_t rest = trace->count - at;
    ssize_t count = write(STDERR_FILENO, trace->bytes + at, rest < 512 ? rest : 512);
    if (count <= 0) return;
    at += (size_t)count;
  }
}

static void tell_place(int signal, const char *path) {
  char bytes[PATH_SIZE + 4 * NAME_SIZE];
  struct trace line = {.bytes = bytes, .size = sizeof bytes};
  trace_text(&line, programName);
  trace_text(&line, ": ended by ");
  trace_text(&line, name_of(signal));
  trace_text(&line, "; the trace is in ");
  trace_text(&line, path);
  trace_text(&line, "\n");
  tell(&line);
}

static void leave_trace(const siginfo_t *info, const void *context) {
  static char bytes[TRACE_SIZE], path[PATH_SIZE + NAME_SIZE];
  struct trace trace = {.bytes = bytes, .size = sizeof bytes};
  struct timespec now = {0};
  clock_gettime(CLOCK_REALTIME, &now);
  write_trace(&trace, info, context, (uint64_t)now.tv_sec);
  if (is_kept(&trace, (uint64_t)now.tv_sec, path)) {
    tell_place(info->si_signo, path);
  } else {
    tell(&trace);
  }
}

// Sends the signal again, for the handler that was installed before this one. It arrives when this handler returns.
static void pass_on(int signal, siginfo_t *info) {
  for (int index = 0; index < SIGNALS; index++) {
    if (signals[index].number == signal) sigaction(signal, &former[index], NULL);
  }
  int thread = (int)syscall(SYS_gettid);
  if (syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, signal, info) != 0) {
    syscall(SYS_tgkill, getpid(), thread, signal);
  }
}

static void handle(int signal, siginfo_t *info, void *context) {
  int error = errno, none = 0, thread = (int)syscall(SYS_gettid);
  if (__atomic_compare_exchange_n(&writer, &none, thread, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    leave_trace(info, context);
  } else if (none != thread) {
    // Another thread writes, and then ends the process.
    nanosleep(&(struct timespec){.tv_sec = 3}, NULL);
  }
  pass_on(signal, info);
  errno = error;
}

static void copy_name(char *to, const char *from) {
  size_t count = strlen(from);
  memcpy(to, from, count < NAME_SIZE ? count : NAME_SIZE - 1);
}

void ccrash_install(const char *program, const char *version) {
#if !defined(HAS_SANITIZER)
  static char stack[STACK_SIZE];
  if (isInstalled) return;
  copy_name(programName, program);
  copy_name(programVersion, version);
  image_find();
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  for (int index = 0; index < SIGNALS; index++) sigaddset(&action.sa_mask, signals[index].number);
  for (int index = 0; index < SIGNALS; index++) {
    if (sigaction(signals[index].number, NULL, &former[index]) != 0 || former[index].sa_handler == SIG_IGN) continue;
    sigaction(signals[index].number, &action, NULL);
  }
  isInstalled = 1;
#else
  (void)program, (void)version, (void)copy_name, (void)handle;
#endif
}

void ccrash_open(const char *path) {
  static const char name[] = "/crashes";
  static int isOpen;
  size_t count = strlen(path);
  if (!isInstalled || count == 0 || count + sizeof name > sizeof folder) return;
  if (__atomic_exchange_n(&isOpen, 1, __ATOMIC_ACQ_REL)) return;
  file = open(path, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
  memcpy(folder + count, name, sizeof name);
  memcpy(folder + 1, path + 1, count - 1);
  // Last: a handler that runs now finds the whole path or none.
  __atomic_store_n(folder, path[0], __ATOMIC_RELEASE);
}

void *ccrash_begin_thread(void) {
  if (!isInstalled) return NULL;
  void *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) return NULL;
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = STACK_SIZE}, NULL);
  return stack;
}

void ccrash_end_thread(void *stack) {
  if (!stack) return;
  sigaltstack(&(stack_t){.ss_flags = SS_DISABLE, .ss_size = STACK_SIZE}, NULL);
  munmap(stack, STACK_SIZE);
}
