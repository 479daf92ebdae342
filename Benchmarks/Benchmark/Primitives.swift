import Cryptography
import FoundationEssentials

/// The unavoidable cost of protecting a megabyte, in milliseconds: medians, like those of the calls to which they are
/// compared. base64 is that of FoundationEssentials, to and from text.
struct Primitives {
  private static let size = 1 << 20
  private static let rounds = 61
  let base64, encryption: Double

  init() throws {
    let payload = [UInt8]((0..<Self.size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    let (data, context) = (Data(payload), try AESGCM.Context(key: Random.bytes(AESGCM.keyLength)))
    let nonce = try Random.bytes(AESGCM.nonceLength)
    base64 = try Self.median {
      guard Data(base64Encoded: data.base64EncodedData())?.count == data.count else { throw Failure("base64 is wrong") }
    }
    var sealed = [UInt8](repeating: 0, count: Self.size + AESGCM.tagLength)
    encryption = try Self.median { try Self.seal(payload, nonce, context, into: &sealed) }
  }

  var json: String { #"{"base64":\#(base64),"aes256gcm":\#(encryption)}"# }

  private static func seal(
    _ payload: [UInt8], _ nonce: [UInt8], _ context: AESGCM.Context, into sealed: inout [UInt8]
  ) throws {
    try sealed.withUnsafeMutableBytes { sealed in
      try payload.withUnsafeBytes { payload in
        try nonce.withUnsafeBytes { nonce in
          try context.seal(
            payload, nonce: nonce, associatedData: .none,
            into: UnsafeMutableRawBufferPointer(rebasing: sealed[..<size]),
            tag: UnsafeMutableRawBufferPointer(rebasing: sealed[size...]))
        }
      }
    }
  }

  private static func median(_ body: () throws -> Void) throws -> Double {
    try (0..<rounds).map { _ in try Cost(of: body).elapsed * 1000 }.sorted()[rounds / 2]
  }
}
