import JSON
import MAM
import Transport

extension PageFiles {
  /// The files of the console's page. `session.json` says what the page shows.
  static func console(isCopy: Bool, isNew: Bool) -> PageFiles {
    console(["isCopy": .bool(isCopy), "isNew": .bool(isNew)])
  }

  /// The files of the page of a console in a sandbox, which began with `seed`.
  static func console(inSandboxOf seed: String) -> PageFiles {
    console(["isCopy": true, "isNew": true, "seed": .string(seed)])
  }

  private static func console(_ session: JSONObject) -> PageFiles {
    var session = session
    session["examines"] = .integer(Int64(PageExaminer.mostBytes))
    let text = Array(session.jsonText.utf8)
    return PageFiles { name in
      if name == "session.json" { return File(named: name, text) }
      return ConsoleFiles.bytes(of: name).flatMap { File(named: name, $0) }
    }
  }
}
