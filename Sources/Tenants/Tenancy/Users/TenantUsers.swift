import JSON
import Model
import Policy

/// The users of a tenant, in the order of the file.
///
/// Those of a file stay in its text, and each is decoded when it is asked for: all of them at once would take ten times
/// the memory of the text. Each was decoded once before, so all are valid.
package struct TenantUsers: Sendable {
  private enum Storage: Sendable {
    case list([TenantUser])
    case text(UserList)
  }

  private let storage: Storage

  package init(_ users: [TenantUser]) { storage = .list(users) }

  init(_ text: UserList) { storage = .text(text) }

  /// The user with this object id or user principal name, in lower case. A deleted user may have left the name to
  /// another one.
  func first(named key: String) -> TenantUser? {
    switch storage {
    case .list(let users): Self.first(of: users.lazy.filter { $0.isNamed(key) })
    case .text(let text): Self.first(of: text.users(named: key))
    }
  }

  private static func first(of users: some Sequence<TenantUser>) -> TenantUser? {
    var deleted: TenantUser?
    for user in users {
      guard user.isDeleted else { return user }
      deleted = deleted ?? user
    }
    return deleted
  }
}

extension TenantUsers: RandomAccessCollection {
  package var startIndex: Int { 0 }

  package var endIndex: Int {
    switch storage {
    case .list(let users): users.count
    case .text(let text): text.count
    }
  }

  package subscript(position: Int) -> TenantUser {
    switch storage {
    case .list(let users): users[position]
    case .text(let text): text[position]
    }
  }
}

extension TenantUsers: Equatable, ExpressibleByArrayLiteral {
  package init(arrayLiteral users: TenantUser...) { self.init(users) }

  package static func == (left: TenantUsers, right: TenantUsers) -> Bool { left.elementsEqual(right) }
}

extension TenantUsers {
  static let notObjects = TenantError.unparsable(file: MemberReader.file, reason: "users must be a list of objects")

  static func repetition(at place: Int, of first: Int, id: String) -> TenantError {
    .unparsable(
      file: MemberReader.file,
      reason: "users/\(place) is the same user as users/\(first): the id \(id) is listed twice")
  }

  /// `nil` if the user is not an object.
  static func members(of user: JSONValue, at position: Int) -> MemberReader? {
    user.objectValue.map { MemberReader($0, at: "users/\(position)/") }
  }

  /// The users of a file that was parsed as a whole.
  init(ofFile members: MemberReader, _ warnings: inout UserWarnings) throws(TenantError) {
    var users: [TenantUser] = []
    for user in try members.objects("users") {
      users.append(try warnings.reading { warnings throws(TenantError) in try TenantUser(user, &warnings) })
    }
    var places: [String: Int] = [:]
    for (place, user) in users.enumerated() {
      guard let first = places.updateValue(place, forKey: user.id.lowercasedASCII) else { continue }
      throw Self.repetition(at: place, of: first, id: user.id)
    }
    self.init(users)
  }
}
