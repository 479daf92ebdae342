import Glibc
import JSON
import Model
import PhoneLogs
import Policy
import Support

/// A tenant folder and a script that show on this machine what the log of a phone says.
enum Reproduction {
  case possible(Content)
  /// A clause.
  case impossible(String)

  /// Takes the cause that is decided, else the first candidate that can be shown, else the policy of the input.
  init(_ examination: Examination) {
    var replacements = Replacements()
    let policy = examination.policies.last { !$0.settings.isEmpty }
    let members = policy.map { ($0.kind, $0.replacedMembers(&replacements)) }
    let causes = examination.verdict.claims.filter(\.isCurrent).map(\.cause) + examination.verdict.candidates
    let shown = causes.first { if case .impossible = $0.reproduction { false } else { true } }
    if let cause = examination.verdict.isDecided ? causes.first : shown {
      if case .impossible(let reason) = cause.reproduction {
        self = .impossible("\(cause.title), but \(reason)")
      } else {
        self = .possible(Content(cause.reproduction, title: cause.title, policy: members))
      }
    } else if let members {
      self = .possible(Content(.values, title: "a policy and its answers", policy: members))
    } else if let first = causes.first, case .impossible(let reason) = first.reproduction {
      self = .impossible(reason)
    } else {
      self = .impossible("the input names no cause and has no policy")
    }
  }

  struct Content {
    let kind: PhoneCause.Reproduction
    let title: String
    let policy: (kind: PolicyKind, members: JSONObject)?

    init(_ kind: PhoneCause.Reproduction, title: String, policy: (PolicyKind, JSONObject)?) {
      (self.kind, self.title, self.policy) = (kind, title, policy)
    }
  }
}

extension Reproduction.Content {
  private static let user = "user1@contoso.example"
  private static let other = "user2@contoso.example"
  private static let script = "reproduce.sh"

  /// Writes a new folder. Throws if it exists, and removes what it wrote if it cannot write all.
  func write(to folder: String) throws {
    guard mkdir(folder, 0o777) == 0 else {
      throw CommandFailure.configuration("cannot make the folder \(folder.shown): \(SystemError.current.text)")
    }
    do throws(SystemError) {
      for path in ["tenant", "tenant/policies"] {
        guard mkdir("\(folder)/\(path)", 0o777) == 0 else { throw .current }
      }
      for (name, text) in files { try Self.write(text, to: "\(folder)/\(name)") }
    } catch {
      for (name, _) in files { unlink("\(folder)/\(name)") }
      for path in ["/tenant/policies", "/tenant", ""] { rmdir(folder + path) }
      throw CommandFailure(exitCode: EX_IOERR, message: "cannot write to \(folder.shown): \(error.text)")
    }
  }

  private static func write(_ text: String, to path: String) throws(SystemError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .current }
    defer { close(descriptor) }
    try WholeBytes.write(Array(text.utf8), to: descriptor)
  }

  private var files: [(String, String)] {
    [
      ("tenant/tenant.json", JSONValue.object(tenant).indentedText + "\n"),
      ("tenant/policies/policy.json", JSONValue.object(policyFile).indentedText + "\n"), (Self.script, scriptText),
    ]
  }

  private var isAssigned: Bool { kind != .notTargeted }

  private var tenant: JSONObject {
    var first: JSONObject = [
      "id": "a11ce000-0000-4000-8000-000000000001", "userPrincipalName": .string(Self.user), "groups": ["staff"],
    ]
    if kind == .notLicensed { first["licensed"] = false }
    let second: JSONObject = [
      "id": "a11ce000-0000-4000-8000-000000000002", "userPrincipalName": .string(Self.other), "groups": ["staff"],
    ]
    let assignment: JSONObject = [
      "policy": "policies/policy.json", "groups": [isAssigned ? "staff" : "others"], "apps": ["*"],
    ]
    var tenant: JSONObject = [
      "tenantId": "a11ce000-0000-4000-8000-000000000000", "displayName": "Contoso",
      "users": [.object(first), .object(second)], "assignments": [.object(assignment)],
    ]
    if kind == .noToken {
      tenant["authentication"] = [
        "authority": "https://login.contoso.example/", "resource": "https://mam.contoso.example",
        "scopes": ["https://mam.contoso.example/.default"],
      ]
    }
    return tenant
  }

  private var policyFile: JSONObject {
    let kind = policy?.kind ?? .ios
    var object: JSONObject = [
      "@odata.type": .string("#microsoft.graph.\(kind.typeName)"), "id": "T_1", "displayName": "Policy",
    ]
    for member in (policy?.members ?? ["pinRequired": true]).members { object[member.name] = member.value }
    return object
  }

  // MARK: The script

  private var scriptText: String {
    let lines =
      [
        "#!/bin/sh", "# Shows on this machine: \(title).", "cd \"$(dirname \"$0\")\" || exit",
        "platform='{\"platform\": \"\(platform)\"}'",
        "ask() { mambridge call --tenant tenant --state state \(options)\"$@\"; }",
        "explain() { mambridge explain --tenant tenant --state state \(options)\"$@\"; }",
        "ask device.set \"$platform\" >/dev/null",
      ] + steps
    return lines.map { $0 + "\n" }.joined()
  }

  private var platform: String {
    guard let kind = policy?.kind, kind != .default else { return PolicyKind.ios.rawValue }
    return kind.rawValue
  }

  private var options: String {
    switch kind {
    case .noToken: "--token-command false "
    case .noIdentity: "--set MultiIdentity=true "
    default: ""
    }
  }

  private var steps: [String] {
    let enroll = "ask enrollmentManager.registerAndEnrollAccount account=\(Self.user)"
    switch kind {
    case .otherAccount:
      return [enroll, "ask enrollmentManager.registerAndEnrollAccount account=\(Self.other)"]
    case .notEnrolled:
      return [enroll, "ask enrollmentManager.deRegisterAndUnenrollAccount account=\(Self.other) withWipe=false"]
    case .noIdentity:
      return [enroll, "explain policy.isPINRequired", "explain policy.isPINRequired account=\(Self.user)"]
    case .values:
      return [
        enroll, "ask policyManager.policy account=\(Self.user)", "explain policy.isPINRequired account=\(Self.user)",
      ]
    case .protectionRequired:
      return [enroll, "ask complianceManager.remediateCompliance account=\(Self.user) silent=true"]
    case .notTargeted, .notLicensed, .noToken, .impossible: return [enroll]
    }
  }
}
