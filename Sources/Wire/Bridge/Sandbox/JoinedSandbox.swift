import Glibc
import Vault

/// A sandbox that a server in another process joins, because a variable names its folder.
package struct JoinedSandbox: Sendable {
  package static let variable = "MAMBRIDGE_SANDBOX"

  private let root: String

  package init(root: String) {
    self.root = root
  }

  /// Where the sandbox has its state and its tenant.
  package var state: String { SandboxFolder.state(in: root) }
  package var tenant: String { SandboxFolder.tenant(in: root) }

  /// Whether the sandbox has not ended.
  package var exists: Bool { Folder.exists(tenant) }

  private var programs: String { root + "/joined" }

  /// How many programs have joined, with those that have ended.
  var count: Int { (try? Folder.names(programs).count) ?? 0 }

  /// Notes that this process joins. A note that cannot be written only is not counted.
  package func join() {
    mkdir(programs, 0o700)
    let descriptor = open("\(programs)/\(getpid())", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }
}
