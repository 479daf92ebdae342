import Cryptography
import MAM
import Model

/// The cost of protecting 1 KiB in the core.
struct ProtectGroup {
  private static let calls = 2000
  let folder: String
  let runs: Int

  func rows() throws -> [Row] {
    let managed = try ManagedCore(folder: folder)
    let (core, data) = (managed.core, [UInt8](repeating: 0x5A, count: 1024))
    let context = try AESGCM.Context(key: Random.bytes(AESGCM.keyLength))
    let buffer = try core.protect(data, for: managed.alice)
    let (bare, protecting) = try Measured.least(
      runs * 5, many { _ = try context.seal(data, nonce: nonce(), associatedData: [] as [UInt8]) },
      many { _ = try core.protect(data, for: managed.alice) })
    let (_, unprotecting) = try Measured.least(runs * 5, Measured {}, many { _ = try core.unprotect(buffer) })
    let detail = "AES-256-GCM alone \(microseconds(bare).short), unprotect \(microseconds(unprotecting).short)"
    return [Row(title: "protect of 1 KiB", value: microseconds(protecting), unit: " us", atMost: 3, detail: detail)]
  }

  private func nonce() throws -> [UInt8] {
    var nonce = [UInt8](repeating: 0, count: NonceBatch.nonceLength)
    try nonce.withUnsafeMutableBytes { try SystemNonces().next(into: $0) }
    return nonce
  }

  private func many(_ call: @escaping () throws -> Void) -> Measured {
    Measured { for _ in 0..<Self.calls { try call() } }
  }

  private func microseconds(_ cost: Cost) -> Double { cost.elapsed / Double(Self.calls) * 1e6 }
}
