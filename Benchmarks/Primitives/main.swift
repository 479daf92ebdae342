// What protecting a megabyte cannot do without, by itself: {"base64":…,"aes256gcm":…}, medians in milliseconds. base64 is
// FoundationEssentials', to and from text.
import Cryptography
import FoundationEssentials

let size = 1 << 20
let rounds = 61

func median(_ body: () throws -> Void) rethrows -> Double {
  var times: [Duration] = []
  for _ in 0..<rounds { times.append(try ContinuousClock().measure(body)) }
  return times.sorted()[rounds / 2] / .milliseconds(1)
}

let payload = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
let base64 = median {
  let text = payload.base64EncodedData()
  precondition(Data(base64Encoded: text)?.count == size)
}

let context = try AESGCM.Context(key: [UInt8](repeating: 1, count: AESGCM.keyLength))
let nonce = [UInt8](repeating: 2, count: AESGCM.nonceLength)
let plaintext = Array(payload)
var sealed = [UInt8](repeating: 0, count: size + AESGCM.tagLength)
let encryption = try median {
  try sealed.withUnsafeMutableBytes { sealed in
    try plaintext.withUnsafeBytes { plaintext in
      try nonce.withUnsafeBytes { nonce in
        try context.seal(
          plaintext, nonce: nonce, associatedData: UnsafeRawBufferPointer(start: nil, count: 0),
          into: UnsafeMutableRawBufferPointer(rebasing: sealed[..<size]),
          tag: UnsafeMutableRawBufferPointer(rebasing: sealed[size...]))
      }
    }
  }
}
print(#"{"base64":\#(base64),"aes256gcm":\#(encryption)}"#)
