import ArgumentParser
import Glibc
import JSON
import Support

/// The options of every command that prints JSON or tables.
struct OutputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "When to use colors: auto, always or never. auto colors a terminal, unless NO_COLOR is set.", valueName: "when"))
  var color = ColorChoice.auto

  var terminal: Terminal { .standardOutput(color) }

  /// Whether a person reads standard output: on a terminal, or with colors in a pager.
  var isForPeople: Bool { isatty(STDOUT_FILENO) == 1 || color == .always }

  /// Prints a value: on a terminal indented and colored, to a pipe or file on one line.
  func print(_ value: JSONValue) throws { try printResult(text(of: value) + "\n") }

  /// Prints a long value, which is indented in a pipe or file, too.
  func printDocument(_ value: JSONValue) throws {
    try printResult((isForPeople ? text(of: value) : value.indentedText) + "\n")
  }

  /// The text of a value on standard output, without a newline at its end.
  func text(of value: JSONValue) -> String { layout(on: STDOUT_FILENO).text(of: value) }

  /// The text of one value of many, on one line, without a newline at its end.
  func line(of value: JSONValue) -> String {
    let isColored = color.isColored(on: STDOUT_FILENO)
    return JSONLayout(isColored: isColored, isForTerminal: isatty(STDOUT_FILENO) == 1).text(of: value)
  }

  /// Prints an error to stderr, indented and colored like a result.
  func printFailure(_ value: JSONValue) { printError(layout(on: STDERR_FILENO).text(of: value)) }

  private func layout(on descriptor: Int32) -> JSONLayout {
    JSONLayout(
      isIndented: isatty(descriptor) == 1 || color == .always, isColored: color.isColored(on: descriptor))
  }
}

extension ColorChoice: ExpressibleByArgument {}

/// How JSON is printed: on one line, or indented by two spaces as jq does, with jq's colors.
struct JSONLayout {
  var isIndented = false
  var isColored = false
  /// Whether invisible characters are escaped even without indentation and colors.
  var isForTerminal = false

  func text(of value: JSONValue) -> String {
    guard isIndented || isColored || isForTerminal else { return value.jsonText }
    var writer = JSONPrinter(layout: self)
    writer.write(value, level: 0)
    return writer.text
  }
}

private struct JSONPrinter {
  /// The colors of jq 1.7, as ECMA-48 codes.
  private enum Color: String { case null = "1;30", scalar = "0;39", string = "0;32", frame = "1;39", name = "34;1" }

  let layout: JSONLayout
  private(set) var text = ""

  init(layout: JSONLayout) {
    self.layout = layout
  }

  mutating func write(_ value: JSONValue, level: Int) {
    switch value {
    case .null: paint("null", .null)
    case .bool, .integer, .number: paint(value.jsonText, .scalar)
    case .string: paint(value.jsonText.escapedForTerminal, .string)
    case .array(let elements):
      writeBlock("[", "]", elements, level) { writer, element in writer.write(element, level: level + 1) }
    case .object(let object):
      writeBlock("{", "}", object.members, level) { writer, member in
        writer.paint(JSONValue.string(member.name).jsonText.escapedForTerminal, .name)
        writer.paint(writer.layout.isIndented ? ": " : ":", .frame)
        writer.write(member.value, level: level + 1)
      }
    }
  }

  private mutating func writeBlock<Element>(
    _ open: String, _ close: String, _ elements: [Element], _ level: Int,
    _ write: (inout JSONPrinter, Element) -> Void
  ) {
    guard !elements.isEmpty else { return paint(open + close, .frame) }
    paint(open, .frame)
    for (index, element) in elements.enumerated() {
      if index > 0 { paint(",", .frame) }
      breakLine(level + 1)
      write(&self, element)
    }
    breakLine(level)
    paint(close, .frame)
  }

  private mutating func breakLine(_ level: Int) {
    if layout.isIndented { text += "\n" + String(repeating: "  ", count: level) }
  }

  private mutating func paint(_ piece: String, _ color: Color) {
    text += layout.isColored ? "\u{1B}[\(color.rawValue)m\(piece)\u{1B}[0m" : piece
  }
}

extension String {
  /// JSON text whose invisible characters are escapes, so that they cannot steer a terminal.
  fileprivate var escapedForTerminal: String {
    guard unicodeScalars.contains(where: \.isInvisible) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      guard scalar.isInvisible else { return text.unicodeScalars.append(scalar) }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
  }
}
