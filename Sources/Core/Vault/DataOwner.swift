import Model

/// The owner of protected data, as its header names them. `nil` means unknown; "no user" has two empty names. This type
/// only compares and stores names; the caller knows what they stand for.
package struct DataOwner: Hashable, Sendable {
  /// The Entra object id.
  package var accountId: String?
  package var tenantId: String?
  /// The user principal name.
  package var identity: String?

  package init(accountId: String?, tenantId: String?, identity: String?) {
    self.accountId = accountId
    self.tenantId = tenantId
    self.identity = identity
  }
}

/// The owner in a header: a length of 2 bytes, then each known name as type u8 (1 account id, 2 tenant id, 3 user
/// principal name), length u16 and UTF-8, ordered by type.
extension DataOwner {
  /// The length limit of all fields together, without the 2 length bytes.
  static let maximumLength = 1024

  /// `nil` if the names do not fit.
  package var encoded: [UInt8]? {
    var fields: [UInt8] = []
    for (type, text) in [(1, accountId), (2, tenantId), (3, identity)] as [(UInt8, String?)] {
      guard let text else { continue }
      guard text.utf8.count <= Self.maximumLength else { return nil }
      fields.append(type)
      fields.append(bigEndian: UInt16(text.utf8.count))
      fields += text.utf8
    }
    guard fields.count <= Self.maximumLength else { return nil }
    var encoded: [UInt8] = []
    encoded.append(bigEndian: UInt16(fields.count))
    return encoded + fields
  }

  /// `nil` for bytes that `encoded` would not produce.
  package init?(bytes: [UInt8]) {
    let owner = bytes.withUnsafeBytes { bytes -> DataOwner? in
      var reader = BigEndianReader(bytes)
      let owner = DataOwner(&reader)
      return reader.isAtEnd ? owner : nil
    }
    guard let owner else { return nil }
    self = owner
  }

  /// Reads the owner at the current position of a reader.
  init?(_ reader: inout BigEndianReader) {
    guard let length = reader.integer(UInt16.self), length <= Self.maximumLength,
      let fields = reader.take(Int(length))
    else { return nil }
    self.init(accountId: nil, tenantId: nil, identity: nil)
    var rest = BigEndianReader(fields)
    var last: UInt8 = 0
    while !rest.isAtEnd {
      guard let type = rest.integer(UInt8.self), type > last, let length = rest.integer(UInt16.self),
        let bytes = rest.take(Int(length)), let text = String(validating: bytes, as: UTF8.self), set(type, text)
      else { return nil }
      last = type
    }
  }

  private mutating func set(_ type: UInt8, _ text: String) -> Bool {
    switch type {
    case 1: accountId = text
    case 2: tenantId = text
    case 3: identity = text
    default: return false
    }
    return true
  }
}

extension MAMError {
  package static let ownerTooLong = MAMError(
    .invalidArguments, "the object id, tenant id and user principal name of the account are longer than 1 KiB together")
}
