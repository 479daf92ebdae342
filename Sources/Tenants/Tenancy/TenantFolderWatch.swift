import Glibc
import Support

/// Reads the folder of a tenant again when it has changed, and never while it changes.
///
/// The folder is opened once for each reading, so that a folder that takes its place in the middle is not mixed with it.
/// Used by one task at a time.
package final class TenantFolderWatch {
  /// How many calls to `read` pass before an unchanged folder that could not be read is tried again.
  private static let callsUntilRetry = 30

  private let path: String
  /// What was there at the last reading, successful or not.
  private var marks = FolderMarks()
  private var callsSinceFailure: Int?

  package init(path: String) {
    self.path = path
  }

  /// What a reading has found.
  package enum Content: Hashable, Sendable {
    case whole(TenantFileSet)
    /// The text of tenant.json, and why a policy or a configuration cannot be read.
    case tenantFile(String, fault: TenantError)
  }

  /// The content; `nil` if it is that of the last call, or changes at the moment. Throws, or returns what there is without
  /// the policies, once for each state of the folder in which it cannot be read.
  package func read() throws(TenantError) -> Content? {
    if let number = DescriptorReserve.shortage { return try nothing(because: fault(of: SystemError(number: number))) }
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return try nothing(because: fault(of: SystemError.current)) }
    defer { close(folder) }
    let root = "/proc/self/fd/\(folder)"
    guard access(root, F_OK) == 0 else { return try nothing(because: faultOfDescriptors) }
    if marks.areCurrent(in: root), !isTimeToRetry { return nil }
    let files = RecordedFiles(FolderFiles(path: root))
    let result = Result { () throws(TenantError) in try TenantReader(files: files).readAvailable() }
    let recorded = files.recorded
    guard recorded.marks.areCurrent(in: root) else { return nil }
    marks = recorded.marks
    callsSinceFailure = 0
    if let fault = try result.get().policyFault {
      return .tenantFile(recorded.texts[MemberReader.file] ?? "", fault: fault)
    }
    callsSinceFailure = nil
    return .whole(TenantFileSet(texts: recorded.texts))
  }

  /// Lets the next call return the files even if they have not changed.
  package func readAgain() { marks = FolderMarks() }

  private var isTimeToRetry: Bool {
    guard let calls = callsSinceFailure else { return false }
    callsSinceFailure = calls + 1
    return calls >= Self.callsUntilRetry
  }

  /// Throws the fault once, and again when it is time to retry.
  private func nothing(because fault: TenantError) throws(TenantError) -> Content? {
    let isKnown = callsSinceFailure != nil && marks.isEmpty
    guard !isKnown || isTimeToRetry else { return nil }
    (marks, callsSinceFailure) = (FolderMarks(), 0)
    throw fault
  }

  private func fault(of error: SystemError) -> TenantError {
    let text = "cannot be opened: \(error.text)"
    return switch error.number {
    case ENOENT:
      .missing(path: path, hint: "It \(text). Create the folder with a tenant.json in it.")
    case EMFILE:
      .unparsable(
        file: path, reason: "\(text) in this process. Raise its limit of open files (systemd: LimitNOFILE=).")
    case ENFILE:
      .unparsable(file: path, reason: "\(text). Raise the limit of this machine (sysctl fs.file-max).")
    case EACCES:
      .unparsable(file: path, reason: "\(text). Let the user who runs this program read the folder.")
    case ENOTDIR: .unparsable(file: path, reason: "is not a folder. Name the folder with the tenant.json.")
    default: .unparsable(file: path, reason: text)
    }
  }

  /// The folder is read through its descriptor.
  private var faultOfDescriptors: TenantError {
    .unparsable(
      file: path,
      reason: "cannot be read, because /proc is not mounted here. Mount it: mount -t proc proc /proc. A container "
        + "needs its own /proc, too.")
  }
}

/// Files, and what was read of them.
final class RecordedFiles: TenantFiles {
  private struct State {
    var texts: [String: String] = [:]
    var size = 0
  }

  private static let largestTenant = 256 << 20

  private let files: MarkedFiles
  private let state = Lock(State())

  init(_ files: FolderFiles) {
    self.files = MarkedFiles(files)
  }

  var recorded: (texts: [String: String], marks: FolderMarks) { (state.withLock { $0.texts }, files.marks) }

  func list(_ folder: String) throws(TenantError) -> [String] { try files.list(folder) }

  func read(_ name: String) throws(TenantError) -> [UInt8]? {
    guard let bytes = try files.read(name) else { return nil }
    let isTooLarge = state.withLock { state in
      state.size += bytes.count
      state.texts[name] = String(
        decoding: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...], as: UTF8.self)
      return state.size > Self.largestTenant
    }
    guard !isTooLarge else {
      throw .unparsable(file: name, reason: "makes the tenant larger than \(Self.largestTenant >> 20) MiB")
    }
    return bytes
  }
}
