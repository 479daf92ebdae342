import MAM
import Transport

extension PageFiles {
  /// The files of the console's page. `session.json` says what the page shows.
  static func console(isCopy: Bool, isNew: Bool) -> PageFiles {
    let session = Array(#"{"isCopy":\#(isCopy),"isNew":\#(isNew)}"#.utf8)
    return PageFiles { name in
      if name == "session.json" { return File(named: name, session) }
      return ConsoleFiles.bytes(of: name).flatMap { File(named: name, $0) }
    }
  }
}
