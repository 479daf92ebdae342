import CGlibc
import Cryptography
import Glibc
import MAM
import Model
import Support
import Vault

/// A private folder that ends with the process: it is removed at the end. What a killed process left, and a killed
/// development tenant, is removed while the next one runs. The process holds a lock on its folder, by which others see
/// that it is in use.
final class ThrowawayFolder {
  /// What a folder is for; its name says so to whoever finds it.
  enum Purpose: String, CaseIterable {
    case console, pull, sandbox, test

    /// What the command can do about other users who could exchange the folder; `tenant diff` pulls without the option.
    fileprivate var trust: String {
      self == .pull ? "" : ". If you trust all users of this machine, pass --trust-parents"
    }
  }

  let path: String
  /// Whether the files are in memory, where nothing of them is left without power.
  let isInMemory: Bool
  private let descriptor: Int32
  private let sweep: Sweep

  /// In bytes. A container often has little shared memory.
  private static let leastSpace: UInt = 32 << 20

  /// In $XDG_RUNTIME_DIR, which is kept in memory and belongs to the user alone, or else in /dev/shm, $TMPDIR or /tmp:
  /// in the first of them that no other user could exchange, unless `trustsParents`. Throws exit code 78 if there is
  /// none.
  init(for purpose: Purpose, trustsParents: Bool) throws {
    let parents = Self.parents
    let prefix = Self.prefix(purpose)
    let parent = try Self.trusted(parents, for: purpose, trustsParents)
    path = "\(parent)/\(prefix)\(try Self.randomName())"
    isInMemory = Self.isInMemory(parent)
    guard mkdir(path, 0o700) == 0 else { throw Self.failure(path) }
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0, Flock.take(descriptor) == .taken,
      FileStatus(descriptor)?.isSameFile(as: FileStatus(path: path)) == true
    else { throw Self.failure(path) }
    sweep = Sweep { for parent in parents { Self.removeAbandoned(in: parent) } }
  }

  /// In the name of a folder.
  private static let randomBytes = 8

  /// From the kernel: OpenSSL's generator takes longer to start than all else here.
  private static func randomName() throws -> String {
    var bytes = [UInt8](repeating: 0, count: randomBytes)
    do throws(CryptographyError) {
      try bytes.withUnsafeMutableBufferPointer { bytes throws(CryptographyError) in
        try SystemRandom.fill(UnsafeMutableRawBufferPointer(bytes))
      }
    } catch {
      throw CommandFailure(exitCode: 1, message: "no random bytes")
    }
    return Hex.encode(bytes)
  }

  /// Overwrites and removes everything. The next process that makes such a folder removes files that stay.
  func remove() {
    AbandonedFiles.removeFolder(path)
    close(descriptor)
    sweep.finish()
  }

  /// Creates a folder that only this user can read. Those who write a tenant in it lock this folder meanwhile.
  func makeFolder(_ name: String) throws -> String {
    let made = path + "/" + name
    guard mkdir(made, 0o700) == 0 else { throw Self.failure(made) }
    return made
  }

  /// Creates a file that only this user can read.
  func write(_ text: String, to name: String) throws -> String {
    let file = path + "/" + name
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(file) }
    defer { close(descriptor) }
    do throws(SystemError) { try WholeBytes.write(Array(text.utf8), to: descriptor) } catch { throw Self.failure(file) }
    return file
  }

  private static func prefix(_ purpose: Purpose) -> String { "mambridge-\(purpose.rawValue)-\(geteuid())-" }

  private static var parents: [String] {
    var parents: [String] = []
    if let folder = RuntimeFolder.path { parents.append(folder) }
    if isInMemory("/dev/shm"), hasSpace("/dev/shm") { parents.append("/dev/shm") }
    if let folder = environment("TMPDIR"), folder.hasPrefix("/") { parents.append(folder) }
    let usable = parents.filter { access($0, W_OK | X_OK) == 0 }
    return usable + ["/tmp"]
  }

  private static func trusted(
    _ parents: [String], for purpose: Purpose, _ trustsParents: Bool
  ) throws -> String {
    var failure: MAMError?
    for parent in parents {
      do throws(MAMError) {
        let missing = parent + "/" + prefix(purpose)
        try StateFolder(root: missing, appId: CoreArguments.defaultAppId, trustsParents: trustsParents).checkTrust()
        return parent
      } catch {
        failure = failure ?? error
      }
    }
    let reason = failure?.message ?? "there is no folder for temporary files"
    throw CommandFailure(exitCode: 78, message: "\(reason). \(wayOut)\(purpose.trust)")
  }

  private static func isInMemory(_ folder: String) -> Bool {
    var system = statfs()
    return statfs(folder, &system) == 0 && memoryTypes.contains(Int(system.f_type))
  }

  /// TMPFS_MAGIC and RAMFS_MAGIC of linux/magic.h.
  private static let memoryTypes = [0x0102_1994, 0x8584_58F6]

  private static func hasSpace(_ folder: String) -> Bool {
    var system = statfs()
    return statfs(folder, &system) == 0 && system.f_bavail >= leastSpace / UInt(max(1, system.f_bsize))
  }

  /// Removes only folders whose whole name is one that this program could have made: the name of somebody's folder may
  /// begin in the same way.
  private static func removeAbandoned(in parent: String) {
    let prefixes = Purpose.allCases.map(prefix)
    AbandonedFiles.remove(from: parent) { name in
      prefixes.contains { name.hasPrefix($0) && Hex.decode(name.dropFirst($0.count))?.count == randomBytes }
    }
  }

  private static func failure(_ path: String) -> CommandFailure {
    CommandFailure(exitCode: 1, message: "cannot create \(path): \(SystemError.current.text). \(wayOut)")
  }

  private static let wayOut = "Set XDG_RUNTIME_DIR to a folder of your own that no other user can enter"
}

/// Removes what killed processes have left, on a thread of its own: looking through folders such as /tmp takes longer than
/// a sandbox takes to answer.
private final class Sweep: Sendable {
  /// How long the process has the processor for its first answer.
  private static let delay = Duration.milliseconds(50)
  /// How long the end of the process waits. What is left then is removed while the next one runs.
  private static let patience = Duration.seconds(3)

  private let isLastChance = Semaphore()
  private let end = Semaphore()

  init(_ removeFolders: @escaping @Sendable () -> Void) {
    let body: @Sendable () -> Void = { [isLastChance, end] in
      isLastChance.wait(atMost: Self.delay)
      removeFolders()
      DevelopmentRuns.removeAbandoned()
      end.signal()
    }
    // The signals that end this process are for its main thread, which then removes the folder.
    if OwnThread.start(takingSignals: false, body) != nil { body() }
  }

  /// Waits until everything is removed, without the delay, but not for as long as it takes on a slow disk.
  func finish() {
    isLastChance.signal()
    end.wait(atMost: Self.patience)
  }
}
