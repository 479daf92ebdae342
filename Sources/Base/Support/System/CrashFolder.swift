import Glibc

/// What a trace says, apart from the addresses.
package struct CrashTraceSummary: Equatable, Sendable {
  package var program: String
  package var time: String
  package var signal: String
  /// What ended the program, such as "sent by process 7 of user 0"; empty if the trace does not say.
  package var cause: String
  /// The last call that began; `nil` if there was none.
  package var call: String?

  /// `nil` if the text is not a trace.
  package init?(_ text: String) {
    let lines = text.split(separator: "\n")
    guard text.hasPrefix(CrashFolder.firstLine + "\n"), lines.allSatisfy({ CrashFolder.isLine($0) }) else { return nil }
    func last(_ name: String) -> String? {
      lines.last { $0.hasPrefix(name + " ") }.map { String($0.dropFirst(name.utf8.count + 1)) }
    }
    guard let program = last("program"), let time = last("time"), let signal = last("signal") else { return nil }
    (self.program, self.time, self.signal) = (program, time, signal)
    (cause, call) = (last("cause") ?? "", last("call"))
  }

  /// One sentence, without a full stop.
  package var sentence: String {
    let reason = cause.isEmpty ? "" : " (\(cause))"
    return "\(program) was ended by \(signal)\(reason) at \(time)" + (call.map { "; its last call was \($0)" } ?? "")
  }
}

/// The traces that programs have left in a folder. A trace is new until a program has told about it.
package struct CrashFolder: Sendable {
  package struct Trace: Sendable {
    package let name: String
    package let bytes: [UInt8]
  }

  /// Older traces are removed.
  package static let maximumCount = 10
  private static let maximumBytes = 64 << 10
  private static let newPrefix = "new-"
  static let firstLine = "crash trace 1"
  private static let lineNames: Set<Substring> = [
    "crash", "program", "build", "time", "process", "thread", "signal", "cause", "call", "at", "maybe", "frame", "end",
  ]

  package let path: String

  /// `parent` is the folder that `CrashTrace.keep` names.
  package init(in parent: String) { path = parent + "/" + CrashTrace.folderName }

  /// Calls `tell` for each new trace, which then is not new any more. Of several processes, only one does.
  package func tellNew(_ tell: (_ summary: CrashTraceSummary, _ path: String) -> Void) {
    let names = names
    for name in names where name.hasPrefix(Self.newPrefix) {
      let kept = path + "/" + name.dropFirst(Self.newPrefix.count)
      guard rename(path + "/" + name, kept) == 0 else { continue }
      if let bytes = read(kept), let summary = CrashTraceSummary(String(decoding: bytes, as: UTF8.self)) {
        tell(summary, kept)
      }
    }
    guard names.count > Self.maximumCount else { return }
    for name in self.names.sorted().dropLast(Self.maximumCount) { unlink(path + "/" + name) }
  }

  /// The newest last. Files that are not traces are left out.
  package var traces: [Trace] {
    names.sorted().compactMap { name in
      guard let bytes = read(path + "/" + name), CrashTraceSummary(String(decoding: bytes, as: UTF8.self)) != nil
      else { return nil }
      return Trace(name: name, bytes: bytes)
    }
  }

  /// Whether a trace may contain the line: nothing in it can be content.
  static func isLine(_ line: Substring) -> Bool {
    let name = line.prefix { $0 != " " }
    return line.utf8.count < 160 && lineNames.contains(name)
      && line.utf8.allSatisfy { $0.isAlphanumeric || " .:+-_/{}$?".utf8.contains($0) }
  }

  private func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard let status = FileStatus(descriptor), status.size <= Self.maximumBytes else { return nil }
    return try? FileContents.read(descriptor, limit: Self.maximumBytes)
  }

  /// Of files that look like traces; none if the folder does not exist.
  private var names: [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasPrefix(Self.newPrefix) || name.utf8.first.map({ $0 >= 48 && $0 <= 57 }) == true { names.append(name) }
    }
    return names
  }
}
