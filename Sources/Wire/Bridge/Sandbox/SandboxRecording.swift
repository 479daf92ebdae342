import JSON
import Model
import Support
import Vault

/// The calls of a test, as a script for bash that repeats them. Long texts of earlier answers in later calls, such as the
/// id of a challenge, are taken from the answers of the replay.
final class SandboxRecording: Sendable {
  private static let mostCalls = 5_000
  /// Of the calls, and of the texts of answers, which take at most half, in bytes.
  private static let mostBytes = 8 << 20
  /// A shorter text is no id, but may be a word that a test uses by itself, in bytes.
  private static let shortestReference = 16
  /// A longer text is content, in bytes.
  private static let longestReference = 1 << 20
  /// Of the failure, in lines and bytes.
  private static let mostLines = 20
  private static let longestLine = 2_000
  /// Calls that a script cannot repeat; those that only look do not come here.
  private static let unrecorded: Set = [Initialize.name, Authenticate.name, Shutdown.name]

  private struct Recorded: Sendable {
    var lines: [String] = []
    var calls = 0
    /// Calls that were left out after the last line.
    var leftOut = 0
    /// Texts of answers, and the words of bash that stand for them.
    var known: [String: String] = [:]
    var bytes = 0
    var needsJQ = false

    mutating func take(_ bytes: Int, of most: Int = mostBytes) -> Bool {
      guard self.bytes + bytes <= most else { return false }
      self.bytes += bytes
      return true
    }

    mutating func tellLeftOut() {
      if leftOut > 0 { lines.append("# Calls that are left out here: \(leftOut)") }
      leftOut = 0
    }
  }

  private let recorded = Lock(Recorded())

  /// Returns the number of the call; `nil` if it is not recorded.
  func begin(_ method: String, _ params: JSONValue?) -> Int? {
    guard !Self.unrecorded.contains(method) else { return nil }
    let size = (params?.textBytes ?? 0) + 100
    return recorded.withLock { recorded in
      guard recorded.calls < Self.mostCalls, recorded.take(size) else {
        recorded.leftOut += 1
        return nil
      }
      recorded.tellLeftOut()
      recorded.calls += 1
      var words = QuotedJSON(known: recorded.known)
      if let params { words.add(params) }
      recorded.needsJQ = recorded.needsJQ || words.hasReference
      let given = params == nil ? "" : #","params":\#(words.text)"#
      recorded.lines.append("call \(recorded.calls) '\(Self.message(recorded.calls, method, given))'")
      return recorded.calls
    }
  }

  /// Remembers the long texts of an answer. `path` is where the value is in the answer, for jq.
  func end(_ number: Int?, _ value: JSONValue, at path: String) {
    guard let number else { return }
    let texts = value.texts(ofBytes: Self.shortestReference...Self.longestReference)
    guard !texts.isEmpty else { return }
    recorded.withLock { recorded in
      for (text, place) in texts where recorded.known[text] == nil {
        guard recorded.take(text.utf8.count + 100, of: Self.mostBytes / 2) else { continue }
        recorded.known[text] = #""$(jq -c \#((path + place).shellQuoted) <<<"${answers[\#(number)]}")""#
      }
    }
  }

  private static func message(_ number: Int, _ method: String, _ params: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(number),"method":"\#(method)"\#(params)}"#
  }

  /// The script. `failure` is what it is the replay of: the first line is its title, and it ends with the others. It says
  /// how many programs have joined, because it does not repeat their calls.
  func script(_ command: SandboxCommand, failure: String, joined: Int) -> String {
    var recorded = recorded.withLock { $0 }
    recorded.tellLeftOut()
    // Without what a terminal or bash would take for something else.
    let failed = failure.split(whereSeparator: \.isNewline).prefix(Self.mostLines).map { line in
      String(line.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
        .beginning(ofBytes: Self.longestLine)
    }
    let last = recorded.calls + 1
    var lines = ["#!/usr/bin/env bash", "# Replays \(failed.first ?? "the calls of a test")."]
    if recorded.needsJQ { lines.append("# Needs jq.") }
    if joined > 0 {
      let programs = joined == 1 ? "One program" : "\(joined) programs"
      lines.append("# \(programs) joined the sandbox, whose calls are not in this script.")
    }
    lines.append(Self.head(command))
    lines += recorded.lines
    lines.append("call \(last) '\(Self.message(last, GetSandboxStory.name, ""))'")
    // A line that begins with a hyphen would be an option.
    lines += failed.dropFirst().map { "echo \(($0.hasPrefix("-") ? " " + $0 : $0).shellQuoted)" }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func head(_ command: SandboxCommand) -> String {
    let program = command.program.reduce(into: "") { $0 += #"\"$`}"#.contains($1) ? "\\\($1)" : "\($1)" }
    let arguments = command.arguments.map(\.shellQuoted).joined(separator: " ")
    return #"""
      # Each line that begins with > is a call of the test. The lines that begin with < are what mambridge says.
      set -euo pipefail
      trap '' PIPE
      coproc mam { exec "${MAMBRIDGE:-\#(program)}" \#(arguments); }
      { exec 3>&"${mam[1]-}" 4<&"${mam[0]-}"; } 2>/dev/null || true
      answers=()
      call() {
        printf '> %s\n' "$2"
        printf '%s\n' "$2" 2>/dev/null >&3 || true
        while IFS= read -r -t 120 line 2>/dev/null <&4; do
          printf '< %s\n' "$line"
          if [[ $line == '{"jsonrpc":"2.0","id":'"$1",* ]]; then answers[$1]=$line && return; fi
        done
        echo "mambridge has ended, or did not answer within 120 s" >&2
        exit 1
      }
      """#
  }
}

/// The command line of a sandbox, for a replay.
package struct SandboxCommand: Sendable {
  let program: String
  let arguments: [String]

  package init(program: String = "mambridge", arguments: [String] = ["sandbox"]) {
    (self.program, self.arguments) = (program, arguments)
  }
}

/// JSON as a part of a word in single quotes of bash, in which words of bash stand for the texts that are known.
private struct QuotedJSON {
  let known: [String: String]
  private(set) var text = ""
  private(set) var hasReference = false

  init(known: [String: String]) {
    self.known = known
  }

  mutating func add(_ value: JSONValue) {
    switch value {
    case .string(let string):
      guard let words = known[string] else { return quote(value) }
      text += "'\(words)'"
      hasReference = true
    case .array(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += "," }
        add(element)
      }
      text += "]"
    case .object(let object):
      text += "{"
      for (index, member) in object.members.enumerated() {
        if index > 0 { text += "," }
        quote(.string(member.name))
        text += ":"
        add(member.value)
      }
      text += "}"
    default: text += value.jsonText
    }
  }

  private mutating func quote(_ value: JSONValue) { text += value.jsonText.shellQuoted.dropFirst().dropLast() }
}

extension JSONValue {
  /// The bytes of all its texts, and some for each value.
  fileprivate var textBytes: Int {
    switch self {
    case .string(let text): text.utf8.count + 4
    case .array(let elements): elements.reduce(4) { $0 + $1.textBytes }
    case .object(let object): object.members.reduce(4) { $0 + $1.name.utf8.count + $1.value.textBytes }
    default: 20
    }
  }

  /// The texts in the value of such sizes, each with its path for jq. A text that a script would have to quote, or that is
  /// the name of a user, is none of them.
  fileprivate func texts(ofBytes sizes: ClosedRange<Int>) -> [(text: String, path: String)] {
    switch self {
    case .string(let text):
      let isReference =
        sizes.contains(text.utf8.count) && !text.utf8.contains(UInt8(ascii: "@"))
        && !text.utf8.contains(UInt8(ascii: "'"))
      return isReference ? [(text, "")] : []
    case .array(let elements):
      return elements.enumerated().flatMap { index, element in
        element.texts(ofBytes: sizes).map { ($0.text, "[\(index)]\($0.path)") }
      }
    case .object(let object):
      return object.members.flatMap { member in
        member.value.texts(ofBytes: sizes).map { ($0.text, "[\(JSONValue.string(member.name).jsonText)]\($0.path)") }
      }
    default: return []
    }
  }
}
