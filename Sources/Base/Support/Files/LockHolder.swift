import CGlibc
import Glibc

/// Describes who holds a lock on an open file, as far as /proc/locks shows it.
package enum LockHolder {
  /// For example "process 4711 (backup)", or "another process" if the system does not say.
  package static func name(of descriptor: Int32) -> String {
    var status = stat()
    guard fstat(descriptor, &status) == 0, let locks = try? FileContents.read("/proc/locks") else { return unknown }
    return holder(of: status, in: String(decoding: locks, as: UTF8.self)).flatMap(describe) ?? unknown
  }

  /// Describes another process that has a lock on one of the files; `nil` if none is known. Does not open the files,
  /// because that would release the locks of this process.
  package static func otherProcess(using files: [String]) -> String? {
    guard let bytes = try? FileContents.read("/proc/locks") else { return nil }
    let locks = String(decoding: bytes, as: UTF8.self)
    for file in files {
      var status = stat()
      guard stat(file, &status) == 0 else { continue }
      for process in holders(of: status, in: locks) where process != getpid() {
        if let name = describe(process) { return name }
      }
    }
    return nil
  }

  private static let unknown = "another process"

  /// A line is "1: FLOCK  ADVISORY  WRITE 4711 fe:00:5572865 0 EOF". Waiting processes have an arrow. A lock of an open
  /// file that processes may share has -1 as the process.
  static func holder(of file: stat, in locks: String) -> pid_t? { holders(of: file, in: locks).first }

  private static func holders(of file: stat, in locks: String) -> [pid_t] {
    let place = [hexadecimal(cglibc_major(file.st_dev)), hexadecimal(cglibc_minor(file.st_dev)), String(file.st_ino)]
    return locks.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 5, fields[1] != "->", fields[5] == place.joined(separator: ":") else { return nil }
      return pid_t(fields[4]).flatMap { $0 > 0 ? $0 : nil }
    }
  }

  /// `nil` for a process that has ended: another process still has its open file and the lock.
  private static func describe(_ process: pid_t) -> String? {
    if process == getpid() { return "another call of this server" }
    guard let bytes = try? FileContents.read("/proc/\(process)/comm") else {
      return kill(process, 0) != 0 && errno == ESRCH ? nil : "process \(process)"
    }
    // A program can choose any name for itself.
    let name = String(decoding: bytes.filter { (0x20..<0x7F).contains($0) }, as: UTF8.self)
    return name.isEmpty ? "process \(process)" : "process \(process) (\(name))"
  }

  private static func hexadecimal(_ number: UInt32) -> String {
    let digits = String(number, radix: 16)
    return digits.utf8.count < 2 ? "0" + digits : digits
  }
}
