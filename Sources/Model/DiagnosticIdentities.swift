import JSON

/// Whose policy holds where no account is named.
public struct DiagnosticIdentities: Hashable, Sendable {
  /// The account that was enrolled first.
  public var primary: Account?
  /// Whose policy holds where no identity is set; nil for nobody's.
  public var effective: Account?
  public var process: String?
  /// By the names that the host gave.
  public var threads: [String: String]
  public var windows: [String: String]

  public init(
    primary: Account? = nil, effective: Account? = nil, process: String? = nil, threads: [String: String] = [:],
    windows: [String: String] = [:]
  ) {
    self.primary = primary
    self.effective = effective
    self.process = process
    self.threads = threads
    self.windows = windows
  }
}

extension DiagnosticIdentities: Record {
  package static let schemaName: String? = "DiagnosticIdentities"
  package static let fields = Fields(
    Self.init(primary:effective:process:threads:windows:),
    Field("primary", \.primary, "The account that was enrolled first; null before."),
    Field("effective", \.effective, "Whose policy holds where no identity is set; null for nobody's."),
    Field("process", \.process, "The identity of the host's process; null where none was set."),
    Field("threads", \.threads, "The identities of the connection's threads, by the host's names."),
    Field("windows", \.windows, "The identities of the connection's windows, by the host's names."))
}
