import Glibc
import TestSupport
import Testing

/// The program beside the tests, with a library before the C library that writes down what it asks of the system: what
/// ships is linked statically, and takes no library before the C library.
struct SystemCallTrace {
  struct Call {
    let name: String
    /// Of a descriptor, the path that it was opened by; of a rename, the new one.
    let path: String
    /// Of random bytes, or of a file.
    let size: Int
  }

  private static let compilers = ["/usr/bin/cc", "/usr/bin/clang", "/opt/swift/usr/bin/clang"]
  private static let compiler = compilers.first { path in access(path, X_OK) == 0 }
  static var isPossible: Bool { compiler != nil }

  private static let source = #"""
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/file.h>
    #include <sys/stat.h>
    #include <sys/types.h>
    #include <unistd.h>
    static void note(const char *name, const char *path, size_t size) {
      char line[5000];
      int count = snprintf(line, sizeof line, "%s\t%s\t%zu\n", name, path, size);
      int trace = open(getenv("SYSTEM_CALL_TRACE"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
      if (trace >= 0 && write(trace, line, count) < 0) _exit(99);
      close(trace);
    }
    static const char *path_of(int file, char *path) {
      char link[64];
      snprintf(link, sizeof link, "/proc/self/fd/%d", file);
      ssize_t count = readlink(link, path, 4096);
      path[count < 0 ? 0 : count] = 0;
      return path;
    }
    ssize_t getrandom(void *, size_t, unsigned);
    #define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
    int fsync(int file) { char path[4097]; note("fsync", path_of(file, path), 0); return REAL(fsync)(file); }
    int fdatasync(int file) { char path[4097]; note("fdatasync", path_of(file, path), 0); return REAL(fdatasync)(file); }
    int mkdir(const char *path, mode_t mode) {
      int result = REAL(mkdir)(path, mode);
      if (result == 0) note("mkdir", path, 0);
      return result;
    }
    int unlink(const char *path) {
      int result = REAL(unlink)(path);
      if (result == 0) note("unlink", path, 0);
      return result;
    }
    int ftruncate(int file, off_t size) {
      char path[4097];
      note("ftruncate", path_of(file, path), size);
      return REAL(ftruncate)(file, size);
    }
    int ftruncate64(int file, off_t size) { return ftruncate(file, size); }
    int flock(int file, int operation) {
      char path[4097];
      const char *locked = getenv("LOCKED_FILE");
      if (locked && (operation & LOCK_NB) && strcmp(path_of(file, path), locked) == 0) { errno = EWOULDBLOCK; return -1; }
      return REAL(flock)(file, operation);
    }
    int rename(const char *from, const char *to) { note("rename", to, 0); return REAL(rename)(from, to); }
    int renameat(int a, const char *from, int b, const char *to) {
      char path[4097], whole[9000];
      snprintf(whole, sizeof whole, "%s/%s", path_of(b, path), to);
      note("rename", whole, 0);
      return REAL(renameat)(a, from, b, to);
    }
    int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
      char path[4097], whole[9000];
      snprintf(whole, sizeof whole, "%s/%s", path_of(b, path), to);
      note("rename", whole, 0);
      return REAL(renameat2)(a, from, b, to, flags);
    }
    int linkat(int a, const char *from, int b, const char *to, int flags) {
      char path[4097], whole[9000];
      snprintf(whole, sizeof whole, "%s/%s", path_of(b, path), to);
      note("link", whole, 0);
      return REAL(linkat)(a, from, b, to, flags);
    }
    ssize_t getrandom(void *bytes, size_t size, unsigned flags) {
      note("getrandom", "", size);
      return REAL(getrandom)(bytes, size, flags);
    }
    """#

  let program = Program()

  init() throws {
    let source = program.folder.write(Self.source, to: "trace.c")
    let built = try Subprocess.run(
      Self.compiler ?? "", ["-shared", "-fPIC", "-w", "-o", library, source, "-ldl"])
    try #require(built.status == 0, "\(built.errors)")
  }

  private var library: String { program.folder.file("trace.so") }

  /// What it did, in order. `locked` is a file whose lock it never gets.
  func run(_ arguments: [String], locked: String? = nil) throws -> (outcome: Subprocess.Outcome, calls: [Call]) {
    let trace = program.folder.file("trace")
    unlink(trace)
    var environment = ["LD_PRELOAD": library, "SYSTEM_CALL_TRACE": trace]
    environment["LOCKED_FILE"] = locked
    let outcome = try Subprocess.run(Checkout.products + "/mambridge", arguments, environment: environment)
    let lines = String(decoding: readFile(trace) ?? [], as: UTF8.self).split(separator: "\n")
    return (outcome, lines.compactMap(Call.init))
  }
}

extension SystemCallTrace.Call {
  fileprivate init?(_ line: Substring) {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard fields.count == 3, let size = Int(fields[2]) else { return nil }
    self.init(name: String(fields[0]), path: String(fields[1]), size: size)
  }
}
