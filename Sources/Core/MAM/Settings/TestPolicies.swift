import JSON
import Model
import Policy

/// The test policies: those that debug.setPolicy has stored and, below them, the one that the core was started with. A
/// test policy replaces the tenant's policies of an account as a whole.
struct TestPolicies: Sendable {
  /// By the name that was given, in lower case; "" for every account.
  private let stored: [String: PolicyDocument]
  private let configured: PolicyDocument?
  /// Sentences that say which test policies are in effect, and which cannot be read.
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
    if !documents.isEmpty { warnings.append("a test policy from debug.setPolicy is in effect") }
    if configured != nil { warnings.append("a test policy from --debug-settings is in effect") }
    self.warnings = warnings
  }

  /// The account's own test policy wins over the one for every account.
  func policy(of account: StoredAccount, _ directory: AccountDirectory) -> PolicyDocument? {
    guard !stored.isEmpty else { return configured }
    let own = stored.keys.sorted().first { !$0.isEmpty && account.isNamed(AccountReference($0), directory) }
    return stored[own ?? ""] ?? configured
  }
}

extension PolicyDocument {
  static let testID = "debug"

  /// A test policy as debug.setPolicy stores it.
  init(test settings: TestSettings) {
    self.init(settings, displayName: "Test policy (debug.setPolicy)")
  }

  fileprivate init(configured settings: TestSettings) {
    self.init(settings, displayName: "Test policy (--debug-settings)")
  }

  /// Like the default policy of a tenant, a test policy may have settings for both platforms. Only those for the
  /// platform of the device count.
  private init(_ settings: TestSettings, displayName: String) {
    self.init(id: Self.testID, displayName: displayName, kind: .default, settings: settings.settings)
  }
}
