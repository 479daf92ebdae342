import Glibc

/// Compares files of the core with the system, OpenSSL and age on the same bytes.
struct FileGroup {
  private static let size = 256 << 20
  /// On the disk to measure. Nothing is left in it.
  let folder: String
  let runs: Int

  func rows() throws -> [Row] {
    let idle = Self.residentMegabytes()
    let documents = try Documents(folder: folder, size: Self.size)
    let copy = Measured(prepare: documents.removeCopies, body: documents.copyPlain)
    let encrypt = Measured(prepare: documents.removeCopies, body: documents.copyEncrypted)
    let encryptInPlace = Measured(prepare: documents.copyPlain, body: documents.encrypt)
    var rows = [
      try row("encrypt in place with fsync, vs. a copy", 0.6, copy, encryptInPlace),
      try row("encrypt by writes with fsync, vs. a copy", 0.6, copy, encrypt),
    ]
    if try documents.canUseAge() {
      let age = Measured(prepare: documents.removeCopies, body: documents.copyWithAge)
      rows.append(try row("encrypt by writes with fsync, vs. age", 1, age, encrypt))
    }
    try documents.copyEncrypted()
    rows += try [
      row("sequential read, vs. OpenSSL", 0.6, Measured(body: documents.openBlocks), Measured(body: documents.read)),
      read(documents, "random read of 4 KiB, vs. plain", 0.4, .pages),
      read(documents, "random read at any byte, vs. plain", nil, .anywhere),
      change(documents, "random change of 4 KiB, vs. plain", 0.25, .pages),
      change(documents, "random change at any byte, vs. plain", nil, .anywhere),
      Row(
        title: "RssAnon above idle, file of 256 MiB", value: Self.residentMegabytes() - idle, unit: " MB", atMost: 4),
    ]
    return rows
  }

  private func read(
    _ documents: Documents, _ title: String, _ limit: Double?, _ places: Documents.Places
  ) throws -> Row {
    let (plain, ours) = ({ documents.readPlain(places) }, { try documents.readEncrypted(places) })
    return try row(title, limit, Measured(body: plain), Measured(body: ours))
  }

  private func change(
    _ documents: Documents, _ title: String, _ limit: Double?, _ places: Documents.Places
  ) throws -> Row {
    let (plain, ours) = ({ documents.changePlain(places) }, { try documents.changeEncrypted(places) })
    return try row(title, limit, Measured(body: plain), Measured(body: ours))
  }

  /// The ratio of the times.
  private func row(_ title: String, _ limit: Double?, _ plain: Measured, _ ours: Measured) throws -> Row {
    let (plain, ours) = try Measured.least(runs, plain, ours)
    let processor = (plain.processor / ours.processor).short
    let detail = "\(plain.elapsed.short) / \(ours.elapsed.short) s; of the processor alone \(processor)"
    return Row(title: title, value: plain.elapsed / ours.elapsed, atLeast: limit, detail: detail)
  }

  /// The anonymous memory of this process.
  private static func residentMegabytes() -> Double {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      guard text.hasPrefix("RssAnon:") else { continue }
      return (text.split(separator: " ").dropLast().last.flatMap { Double($0) } ?? 0) / 1024
    }
    return 0
  }
}
