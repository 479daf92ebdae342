import JSON
import Model
import Policy

/// The users of a tenant.json as it is written: its text, and where each user is in it.
final class UserList: Sendable {
  private let text: ArraySlice<UInt8>
  private let spans: ArraySpans
  private let index: Index

  private struct Index {
    var ids = NameIndex()
    var names = NameIndex()
  }

  /// What reading all users once has found, as if they had been read with the rest of the file.
  struct Findings: Sendable {
    var warnings = UserWarnings()
    /// What is wrong with the list or its first invalid user.
    var fault: TenantError?
  }

  /// `nil` if a user does not follow the grammar.
  init?(_ text: ArraySlice<UInt8>, _ spans: ArraySpans, _ findings: inout Findings) {
    var index = Index()
    let isRead = text.withUnsafeBytes { bytes in
      (0..<spans.count).allSatisfy { Self.read(bytes, spans, at: $0, &index, &findings) }
    }
    guard isRead else { return nil }
    index.ids.sort()
    index.names.sort()
    (self.text, self.spans, self.index) = (text, spans, index)
    if findings.fault == nil { findings.fault = repetition }
  }

  /// Returns false if the user does not follow the grammar. What is not an object counts before what is wrong with one.
  private static func read(
    _ bytes: UnsafeRawBufferPointer, _ spans: ArraySpans, at position: Int,
    _ index: inout Index, _ findings: inout Findings
  ) -> Bool {
    let element = UnsafeRawBufferPointer(rebasing: bytes[spans[position]])
    var user = PlainUser.read(element)
    if user == nil {
      guard let value = try? JSONValue(parsing: element) else { return false }
      guard let members = TenantUsers.members(of: value, at: position) else {
        findings.fault = TenantUsers.notObjects
        return true
      }
      do throws(TenantError) {
        user = try findings.warnings.reading { warnings throws(TenantError) in try TenantUser(members, &warnings) }
      } catch {
        findings.fault = findings.fault ?? error
      }
    }
    guard findings.fault == nil, let user else { return true }
    index.ids.add(user.id, at: position)
    index.names.add(user.userPrincipalName, at: position)
    return true
  }

  /// Two entries of one user may contradict each other.
  private var repetition: TenantError? {
    index.ids.firstRepetition { self[$0].id.lowercasedASCII == self[$1].id.lowercasedASCII }
      .map { TenantUsers.repetition(at: $0.place, of: $0.first, id: self[$0.place].id) }
  }

  var count: Int { spans.count }

  subscript(position: Int) -> TenantUser {
    text.withUnsafeBytes { bytes in
      let element = UnsafeRawBufferPointer(rebasing: bytes[spans[position]])
      return PlainUser.read(element) ?? AcceptedUser.read(element)
    }
  }

  /// The users with this object id or user principal name, in lower case, in the order of the file.
  func users(named key: String) -> some Sequence<TenantUser> {
    let positions = Set(index.ids.positions(of: key)).union(index.names.positions(of: key)).sorted()
    return positions.lazy.map { self[$0] }.filter { $0.isNamed(key) }
  }
}

/// The warnings about users, of which only the first 10,000 are kept.
struct UserWarnings: Sendable {
  private static let most = 10_000

  private var kept: [PolicyWarning] = []
  private var omitted = 0

  /// Keeps the warnings that `body` appends.
  mutating func reading<Result>(
    _ body: (inout [PolicyWarning]) throws(TenantError) -> Result
  ) throws(TenantError) -> Result {
    var new: [PolicyWarning] = []
    let result = try body(&new)
    let room = Self.most - kept.count
    kept += new.prefix(room)
    omitted += max(0, new.count - room)
    return result
  }

  /// The warnings, with one that counts those that are not kept.
  var all: [PolicyWarning] {
    guard omitted > 0 else { return kept }
    return kept + [PolicyWarning(MemberReader.file, "users", "have \(omitted) more warnings, which are not listed")]
  }
}
