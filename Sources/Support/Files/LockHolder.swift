import CGlibc
import Glibc

/// Who holds a lock on an open file, in words, as far as /proc/locks shows it.
package enum LockHolder {
  /// Such as "process 4711 (backup)"; "another process" where the system does not say.
  package static func name(of descriptor: Int32) -> String {
    var status = stat()
    guard fstat(descriptor, &status) == 0, let locks = try? FileContents.read("/proc/locks") else { return unknown }
    return holder(of: status, in: String(decoding: locks, as: UTF8.self)).flatMap(describe) ?? unknown
  }

  private static let unknown = "another process"

  /// A line is "1: FLOCK  ADVISORY  WRITE 4711 fe:00:5572865 0 EOF". Those who only wait have an arrow, and locks of
  /// an open file that several processes may share have -1 for the process.
  static func holder(of file: stat, in locks: String) -> pid_t? {
    let place = [hexadecimal(cglibc_major(file.st_dev)), hexadecimal(cglibc_minor(file.st_dev)), String(file.st_ino)]
    for line in locks.split(separator: "\n") {
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 5, fields[1] != "->", fields[5] == place.joined(separator: ":") else { continue }
      if let process = pid_t(fields[4]), process > 0 { return process }
    }
    return nil
  }

  /// Nil for a process that has ended: another one still has its open file, and the lock with it.
  private static func describe(_ process: pid_t) -> String? {
    if process == getpid() { return "another call of this server" }
    guard let bytes = try? FileContents.read("/proc/\(process)/comm") else {
      return kill(process, 0) != 0 && errno == ESRCH ? nil : "process \(process)"
    }
    // Any program may choose its name.
    let name = String(decoding: bytes.filter { (0x20..<0x7F).contains($0) }, as: UTF8.self)
    return name.isEmpty ? "process \(process)" : "process \(process) (\(name))"
  }

  private static func hexadecimal(_ number: UInt32) -> String {
    let digits = String(number, radix: 16)
    return digits.utf8.count < 2 ? "0" + digits : digits
  }
}
