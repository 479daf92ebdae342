import Glibc

/// A program that opens a file for reading, takes its `flock`, and keeps it until its owner is gone.
package final class LockingProcess {
  package struct Failure: Error {
    package let path: String
  }

  /// Nobody, who has nothing on a machine.
  private static let otherUser = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
  private let process: Subprocess

  package var identifier: pid_t { process.identifier }

  /// `isOtherUser` is for root alone. Returns when it has the lock.
  package init(_ path: String, isOtherUser: Bool = false, isShared: Bool = false) throws {
    // Its child has no copy of the locked file, and ends with its input.
    let flock = ["/usr/bin/flock", isShared ? "-s" : "-x", "-o", path, "/bin/sh", "-c", "echo locked; exec cat"]
    let words = (isOtherUser ? Self.otherUser : []) + flock
    process = try Subprocess(words[0], Array(words.dropFirst()))
    guard try process.readLine() == "locked" else { throw Failure(path: path) }
  }

  /// Whether tests can run programs as another user.
  package static var canBeOtherUser: Bool { Privileges.isRoot && access(otherUser[0], X_OK) == 0 }
}
