import Glibc
import JSON
import Support

/// A parameter as it is written on the command line: `name=value`, `name:=json`, `name=@file` or `name:=@file`.
struct ParameterArgument {
  let name: String
  /// Whether the value is JSON, whatever the schema expects.
  private let isJSON: Bool
  private var text: String

  init(_ argument: String) throws {
    guard let equals = argument.firstIndex(of: "=") else { throw Self.notOne(argument) }
    var name = argument[..<equals]
    isJSON = name.hasSuffix(":")
    if isJSON { name.removeLast() }
    guard !name.isEmpty else { throw Self.notOne(argument) }
    self.name = String(name)
    text = String(argument[argument.index(after: equals)...])
  }

  /// An argument in a file: a relative path of a value starts at `folder`, and only a regular file is one.
  init(_ argument: String, files folder: String) throws {
    try self.init(argument)
    guard text.hasPrefix("@") else { return }
    let path = String(text.dropFirst())
    guard path != ParameterSource.standardInput else {
      throw CommandFailure(exitCode: 64, message: "\(name) cannot come from standard input here. Name a file")
    }
    if !path.hasPrefix("/") { text = "@\(folder)/\(path)" }
    var status = stat()
    // Nobody may ever write into a pipe.
    guard stat(String(text.dropFirst()), &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
      throw CommandFailure(exitCode: 1, message: "cannot read \(name) from \(path.shown): it is not a regular file")
    }
  }

  private static func notOne(_ argument: String) -> CommandFailure {
    CommandFailure(
      exitCode: 64,
      message: "\"\(argument.shown)\" is neither name=value nor a JSON object or array. To read parameters from "
        + "standard input, pass - alone")
  }

  func value(_ forms: ParameterForms) throws -> JSONValue {
    guard text.hasPrefix("@") else { return isJSON ? try json(text) : try forms.value(text, for: name) }
    let source = ParameterSource.file(String(text.dropFirst()))
    guard !isJSON else { return try json(source.text(of: name)) }
    return try forms.value(contentOf: source.bytes(of: name), for: name)
  }

  private func json(_ text: String) throws -> JSONValue {
    do throws(JSONParseError) {
      return try JSONValue(parsing: text)
    } catch {
      throw CommandFailure(exitCode: 64, message: "\(name) must be JSON: \(error.message)")
    }
  }
}

/// Where the value of a parameter is read from.
enum ParameterSource {
  case file(String)

  static let standardInput = "-"
  /// The longest message that a server accepts by default.
  private static let sizeLimit = 64 << 20

  /// `what` names the value in errors.
  func bytes(of what: String) throws -> [UInt8] {
    guard case .file(let path) = self else { return [] }
    do throws(SystemError) {
      guard path != Self.standardInput else { return try Self.readInput(what) }
      return try Self.read(path)
    } catch {
      let reason = error.number == EFBIG ? "it is larger than \(Self.sizeLimit >> 20) MiB" : error.text
      throw CommandFailure(
        exitCode: 1,
        message: "cannot read \(what) from \(path.isEmpty ? "\"\"" : path.shown): \(reason). For a text that begins "
          + "with @, pass \(what):='\"@…\"'")
    }
  }

  func text(of what: String) throws -> String {
    guard let text = String(validating: try bytes(of: what), as: UTF8.self) else {
      throw CommandFailure(exitCode: 1, message: "\(what) must be UTF-8 text")
    }
    return text
  }

  private static func readInput(_ what: String) throws(SystemError) -> [UInt8] {
    if isatty(STDIN_FILENO) == 1 { printError("mambridge: type \(what); Ctrl-D ends the input") }
    return try FileContents.read(STDIN_FILENO, limit: sizeLimit)
  }

  private static func read(_ path: String) throws(SystemError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .current }
    defer { close(descriptor) }
    return try FileContents.read(descriptor, limit: sizeLimit)
  }
}
