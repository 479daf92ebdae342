import Glibc
import Model

extension Core {
  /// Looks at every page of a file, or of each file below a folder, in the order of their names. What `failed` gets
  /// cannot be read at all. Throws where there is nothing to begin with.
  package func checkFiles(
    _ path: AbsolutePath, found: @escaping (FileCheck) -> Void, failed: @escaping (MAMError) -> Void
  ) throws(MAMError) {
    let files = try openFiles(at: path)
    guard try files.location.isFolder else { return found(try FileCheck(try surveyFile(path))) }
    let environment = try fileEnvironment(refresh())
    let walk = FileWalk(state: files.state) { location, _ throws(MAMError) in
      do throws(MAMError) {
        found(try FileCheck(FileSurvey(location.openForReading(), environment)))
      } catch {
        failed(error)
      }
    } report: {
      failed(MAMError($0.code, $0.message, path: $0.path))
    }
    try walk.run(files.location.open(O_RDONLY | O_DIRECTORY))
  }

  /// As `fileProtectionInfo`, but throws for what is not there or no file.
  package func protectionInfo(ofFile path: AbsolutePath) throws(MAMError) -> FileProtectionInfo? {
    let files = try openFiles()
    return try files.ownership.find(DiskFile(path: path.text, flags: O_RDONLY)).map(FileProtectionInfo.init)
  }

  /// What can be read of a file, damaged or not.
  package func surveyFile(_ path: AbsolutePath) throws(MAMError) -> FileSurvey {
    let services = try refresh()
    try state.checkPolicyIsThere()
    return try FileSurvey(DiskFile(path: path.text, flags: O_RDONLY), fileEnvironment(services))
  }
}
