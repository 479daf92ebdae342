import JSON

/// The machine that the server runs on, as its system tells of it.
public struct HostMachine: Hashable, Sendable {
  public var system: String
  public var release: String
  public var architecture: String

  public init(system: String, release: String, architecture: String) {
    self.system = system
    self.release = release
    self.architecture = architecture
  }
}

extension HostMachine: Record {
  package static let schemaName: String? = "HostMachine"
  package static let fields = Fields(
    Self.init(system:release:architecture:), Field("system", \.system, "The kernel's name, such as Linux."),
    Field("release", \.release, "The kernel's version."),
    Field("architecture", \.architecture, "The processor's architecture, such as x86_64."))
}
