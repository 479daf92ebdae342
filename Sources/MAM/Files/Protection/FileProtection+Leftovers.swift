import Glibc
import Model

extension FileProtection {
  /// Ends what killed processes have left behind, and learns what became of their files. What fails is told in the log,
  /// and tried again at the next start.
  func removeLeftovers(_ log: DiagnosticsLog) {
    do throws(MAMError) {
      let targets = try temporary.removeLeftovers { error in
        log.write(.error, .dataProtection, "a temporary file cannot be removed: \(public: error.description)")
      }
      for target in targets { try meet(target) }
    } catch {
      log.write(.error, .dataProtection, "temporary files cannot be removed: \(public: error.description)")
    }
  }

  private func meet(_ path: AbsolutePath) throws(MAMError) {
    let location = try FileLocation(path)
    guard try location.status()?.kind == .file else { return }
    _ = try ownership.find(location.openForReading())
  }
}
