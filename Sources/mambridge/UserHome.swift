import Glibc
import Support

/// The home of a user by /etc/passwd. Read here, because getpwuid needs the name service, which static programs lack.
enum UserHome {
  /// Nil for an unknown user, and for a home that is no folder or that anybody could make: one below /tmp.
  static func folder(of user: uid_t) -> String? {
    guard let bytes = try? FileContents.read("/etc/passwd") else { return nil }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if let home = home(of: user, line: line) { return isUsable(home) ? home : nil }
    }
    return nil
  }

  /// Fields: name, password, user id, group id, comment, home, shell.
  private static func home(of user: uid_t, line: ArraySlice<UInt8>) -> String? {
    let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard fields.count >= 6, uid_t(String(decoding: fields[2], as: UTF8.self)) == user else { return nil }
    return String(decoding: fields[5], as: UTF8.self)
  }

  private static func isUsable(_ home: String) -> Bool {
    var status = stat()
    return home.hasPrefix("/") && home != "/tmp" && !home.hasPrefix("/tmp/")
      && stat(home, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
