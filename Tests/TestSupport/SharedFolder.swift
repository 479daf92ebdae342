import Glibc

/// The folder of facts and samples beside the checkout; tests that need it are skipped where it is missing.
package enum SharedFolder {
  package static let isPresent = access(path("facts"), R_OK) == 0

  /// Such as `samples/ios-level2.json`.
  package static func path(_ name: String) -> String { Checkout.path("../shared/\(name)") }

  package static func bytes(_ name: String) -> [UInt8]? { readFile(path(name)) }

  package static func text(_ name: String) -> String? {
    bytes(name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The rows of a table of tab-separated values, without comments.
  package static func rows(_ name: String) -> [[String]] {
    (text(name) ?? "").split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }
}

/// Makes a file anew, for this user alone.
package func write(_ bytes: [UInt8], to path: String) {
  unlink(path)
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  bytes.withUnsafeBytes { _ = Glibc.write(descriptor, $0.baseAddress, $0.count) }
  close(descriptor)
}

/// The bytes of a file; nil when it cannot be read.
package func readFile(_ path: String) -> [UInt8]? {
  guard let file = fopen(path, "rb") else { return nil }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
  return bytes
}
