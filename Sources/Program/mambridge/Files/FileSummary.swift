import MAM
import Model
import Support
import Vault

/// Counts what `files protect` did, for its last line.
struct ProtectionTally {
  private var counts: [ProtectedFile.Outcome: Int] = [:]
  private var bytes = 0
  private let start = ContinuousClock.now

  mutating func add(_ file: ProtectedFile) {
    counts[file.outcome, default: 0] += 1
    if file.outcome != .unchanged { bytes += file.size }
  }

  /// For example `encrypted 2 files (1.5 MiB) for alice@contoso.example in 3 s; 1 file was protected already`.
  func summary(for owner: FileOwnerKind, named reference: AccountReference) -> String {
    var parts: [String] = []
    let changed = (counts[.encrypted] ?? 0) + (counts[.decrypted] ?? 0) + (counts[.marked] ?? 0)
    let amount = "\(changed.files) (\(ByteCount(bytes).text))"
    let time = ProgressLine.text(ofSeconds: Double((ContinuousClock.now - start).components.seconds))
    let duration = (ContinuousClock.now - start) < .seconds(1) ? "" : " in \(time)"
    if changed > 0, owner.isEncrypting {
      parts.append("encrypted \(amount) for \(owner.name(reference))\(duration)")
    } else if changed > 0 {
      parts.append(plain(amount, owner, reference))
    }
    if let unchanged = counts[.unchanged] {
      parts.append("\(unchanged.files) \(unchanged == 1 ? "was" : "were") protected already")
    }
    return parts.isEmpty ? "no file was changed" : parts.joined(separator: "; ")
  }

  private func plain(_ amount: String, _ owner: FileOwnerKind, _ reference: AccountReference) -> String {
    let decrypted = counts[.decrypted].map { "; \($0.files) \($0 == 1 ? "was" : "were") decrypted" } ?? ""
    switch owner {
    case .nobody: return "\(amount) now belong to no user and are plain\(decrypted)"
    case .unmanaged:
      return "recorded \(reference.text) as the owner of \(amount), NOT encrypted: no policy applies to "
        + "\(reference.text)\(decrypted)"
    case .managed(let name, _):
      return "recorded \(name) as the owner of \(amount), NOT encrypted: the policy of \(name) does not require "
        + "encryption\(decrypted)"
    }
  }
}

extension FileOwnerKind {
  fileprivate var isEncrypting: Bool {
    if case .managed(_, let isEncrypting) = self { isEncrypting } else { false }
  }

  fileprivate func name(_ reference: AccountReference) -> String {
    if case .managed(let name, _) = self { name } else { reference.text }
  }
}

extension Int {
  /// For example `1 file` or `3 files`.
  var files: String { "\(self) file\(self == 1 ? "" : "s")" }
}

extension FileProtectionInfo? {
  /// How a file is kept and for whom, as the end of a sentence about it.
  var sentenceEnd: String {
    guard let info = self else { return "plain, without an owner" }
    let owner = [info.identity, info.accountId].compactMap { $0 }.first { !$0.isEmpty }
    let kind = info.isEncrypted ? "encrypted" : "plain"
    return owner.map { "\(kind), for \($0)" } ?? "\(kind), for no user"
  }
}

/// Refuses an owner without a policy, whose files would stay plain: often the name is misspelt.
struct OwnerCheck {
  let files: MAM.Files
  let appId: String
  let allowsPlain: Bool

  /// Throws exit code 1 for an unmanaged account, unless plain files are allowed.
  func ownership(of reference: AccountReference) throws -> FileOwnerKind {
    let kind = try coreResult { () throws(MAMError) in try files.ownership(of: reference) }
    guard case .unmanaged(let managed) = kind, !allowsPlain else { return kind }
    let suggestion = managed.nearest(to: reference.text).map { "Did you mean \($0)? " } ?? ""
    throw CommandFailure(
      exitCode: 1,
      message: "no policy applies to \(reference.text.shown) in the app \(appId), so the files would stay plain; "
        + "nothing was changed. \(suggestion)Enroll the account first, or pass --allow-plain to record the owner "
        + "without encryption")
  }
}
