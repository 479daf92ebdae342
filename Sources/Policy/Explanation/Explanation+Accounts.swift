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

extension AccountPolicies {
  /// Whether an account is managed, and why not.
  func management(of reference: AccountReference?) -> String {
    guard let reference, reference.kind != .noUser else { return "there is no account, so that nothing is managed" }
    let standing = standing(of: reference)
    let name = "the account \(standing.account.spoken)"
    guard policy(of: reference) == nil else {
      return "\(name) is managed" + (standing.isWiping ? ", and is being wiped" : "")
    }
    let status = standing.status.map { ", and its last check-in ended with \($0.statusCode.spoken)" } ?? ""
    return switch standing.place {
    case .unknown: "\(name) is not managed: it is not registered in this app"
    case .registered: "\(name) is not managed: it is registered only\(status)"
    case .enrolled: "\(name) is not managed: it is enrolled without policy\(status)"
    }
  }

  func named(_ reference: AccountReference) -> Account { standing(of: reference).account }
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
