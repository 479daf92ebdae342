// What protecting 1 KiB in the core takes; Benchmarks/protect builds and runs it. Prints medians of rounds in
// microseconds; exit code 1 when the limit is missed.

import Cryptography
import Glibc
import MAM
import Model
import Support

/// Microseconds a call, the median of rounds.
func measure(_ body: () throws -> Void) rethrows -> Double {
  let (rounds, calls) = (31, 2000)
  for _ in 0..<calls { try body() }
  let times = try (0..<rounds).map { _ in
    try ContinuousClock().measure { for _ in 0..<calls { try body() } }
  }
  let attoseconds = Double(times.sorted()[rounds / 2].components.attoseconds)
  return attoseconds / Double(calls) / 1e12
}

func row(_ title: String, _ microseconds: Double, _ note: String = "") {
  let text = String(Double(Int(microseconds * 1000)) / 1000)
  print(title + String(repeating: " ", count: 44 - title.utf8.count) + text + " us" + note)
}

let limit = 3.0
var template = Array("/tmp/mambridge-benchmark-XXXXXX".utf8CString)
guard let folder = mkdtemp(&template).map({ String(cString: $0) }),
  let configuration = CoreConfiguration(stateFolder: folder, appId: "com.example.benchmark", tenant: .sample)
else { exit(EXIT_FAILURE) }
let core = Core(configuration)
let alice = AccountReference("alice@contoso.example")
_ = try core.enrollment.registerAndEnroll(alice)
let data = [UInt8](repeating: 0x5A, count: 1024)
let context = try AESGCM.Context(key: Random.bytes(AESGCM.keyLength))
let nonces = NoncePool()

let bare = try measure { _ = try context.seal(data, nonce: nonces.next(), associatedData: [] as [UInt8]) }
row("AES-256-GCM alone, 1 KiB", bare)
let protect = try measure { _ = try core.protect(data, for: alice) }
row("protect, 1 KiB", protect, protect < limit ? "  < \(limit) pass" : "  < \(limit) SHORT")
let buffer = try core.protect(data, for: alice)
row("unprotect, 1 KiB", try measure { _ = try core.unprotect(buffer) })
exit(protect < limit ? EXIT_SUCCESS : EXIT_FAILURE)
