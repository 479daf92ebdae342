import Model

extension EffectiveIdentity.Source {
  /// `name` is who holds; nil for nobody.
  func text(about name: String?) -> String {
    let name = name ?? "nobody"
    return switch self {
    case .named: "the question names \(name)"
    case .thread(let thread): "thread \"\(thread)\" acts for \(name)"
    case .window(let window): "window \"\(window)\" shows \(name)"
    case .mainThread(let window): "thread \"main\" acts for \(name), which wins over what window \"\(window)\" shows"
    case .process: "no other identity is set, and the process acts for \(name)"
    case .unset: "no identity is set, so that the question is about \(name)"
    }
  }
}

extension CoreState {
  /// Whether an account is managed, and why not.
  func standing(of reference: AccountReference?) -> String {
    guard let reference, reference.kind != .noUser else { return "there is no account, so that nothing is managed" }
    let name = "the account \(named(reference).spoken)"
    guard let account = account(reference) else { return "\(name) is not managed: it is not registered in this app" }
    guard !account.isManaged else { return "\(name) is managed" + (account.isWiping ? ", and is being wiped" : "") }
    let status = account.status.map { ", and its last check-in ended with \($0.statusCode.spoken)" } ?? ""
    let place = account.isEnrolled ? "enrolled without policy" : "registered only"
    return "\(name) is not managed: it is \(place)\(status)"
  }
}

extension EnrollmentStatusCode {
  fileprivate var spoken: String { "\(sdkValue), \(rawValue)" }
}

extension Account {
  /// The name that people know.
  var spoken: String {
    let name = identity ?? accountId ?? ""
    return name.isEmpty ? "no user" : name
  }
}

extension AppliedPolicy {
  var spoken: String { displayName.isEmpty ? id : "\"\(displayName)\" (\(id))" }
}
