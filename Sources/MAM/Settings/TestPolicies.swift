import JSON
import Model
import Policy

/// The policies for tests: those that debug.setPolicy has stored, and below them the one that the core is started with.
/// One of them replaces what the tenant says of an account as a whole.
struct TestPolicies: Sendable {
  /// By the name that was given, in lower case; "" for every account.
  private let stored: [String: PolicyDocument]
  private let configured: PolicyDocument?
  /// What holds, and what cannot be read, a sentence each.
  let warnings: [String]

  init(stored texts: [String: String] = [:], configured settings: TestSettings? = nil) {
    var (documents, warnings): ([String: PolicyDocument], [String]) = ([:], [])
    for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
      do throws(StoredTextError) {
        documents[name] = try PolicyDocument(stored: text)
      } catch {
        warnings.append("a stored test policy cannot be read: \(error.reason)")
      }
    }
    stored = documents
    configured = settings.map(PolicyDocument.init(configured:))
    if !documents.isEmpty { warnings.append("a test policy of debug.setPolicy is in force") }
    if configured != nil { warnings.append("a test policy of --debug-settings is in force") }
    self.warnings = warnings
  }

  /// Its own comes first, then that of every account.
  func policy(of account: StoredAccount, _ directory: AccountDirectory) -> PolicyDocument? {
    guard !stored.isEmpty else { return configured }
    let own = stored.keys.sorted().first { !$0.isEmpty && account.isNamed(AccountReference($0), directory) }
    return stored[own ?? ""] ?? configured
  }
}

extension PolicyDocument {
  static let testID = "debug"

  /// As debug.setPolicy stores it.
  init(test settings: TestSettings) {
    self.init(settings, displayName: "Test policy (debug.setPolicy)")
  }

  fileprivate init(configured settings: TestSettings) {
    self.init(settings, displayName: "Test policy (--debug-settings)")
  }

  /// Like a tenant's default it may have settings for both systems, of which those of the device's count.
  private init(_ settings: TestSettings, displayName: String) {
    self.init(id: Self.testID, displayName: displayName, kind: .default, settings: settings.settings)
  }
}
