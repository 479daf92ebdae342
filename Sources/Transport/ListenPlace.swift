/// Where a server listens: at an address that it binds itself, or on a socket that whoever started it has bound.
package struct ListenPlace: Sendable {
  package let address: ListenAddress
  /// Of a socket that listens already; nil where there is none yet.
  let descriptor: Int32?

  package init(_ address: ListenAddress) {
    self.address = address
    descriptor = nil
  }

  init(_ address: ListenAddress, on descriptor: Int32) {
    self.address = address
    self.descriptor = descriptor
  }

  /// What `--listen` names: one address, or with `systemd` every socket that the service manager passes.
  package static func places(named text: String) throws -> [ListenPlace] {
    guard text == "systemd" else { return [ListenPlace(try ListenAddress(text))] }
    return try PassedSockets.take().map { try $0.place() }
  }
}
