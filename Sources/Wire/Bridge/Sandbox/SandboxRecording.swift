import JSON
import Model
import Support
import Vault

/// The calls of a test, as a script for bash that repeats them. Long texts of earlier answers in later calls, such as the
/// id of a challenge, are taken from the answers of the replay.
final class SandboxRecording: Sendable {
  private static let mostCalls = 5_000
  /// Of the lines, and of the texts of answers, which take at most half, in bytes.
  private static let mostBytes = 8 << 20
  /// A shorter text is no id, but may be a word that a test uses by itself.
  private static let shortestReference = 16
  /// Calls that a script cannot repeat, or that only look.
  private static let unrecorded: Set = [
    Initialize.name, Authenticate.name, Shutdown.name, Discover.name, ListEvents.name, GetSandboxStory.name,
    ReportFromSandbox.name, ExpectInSandbox.name, WaitInSandbox.name,
  ]

  private struct Recorded: Sendable {
    var lines: [String] = []
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
  }

  private let recorded = Lock(Recorded())

  /// Returns the number of the call; `nil` if it is not recorded.
  func begin(_ method: String, _ params: JSONValue?) -> Int? {
    guard !Self.unrecorded.contains(method) else { return nil }
    let given = params.map { #","params":\#($0.jsonText)"# } ?? ""
    return recorded.withLock { recorded in
      guard recorded.lines.count < Self.mostCalls, recorded.take(given.utf8.count + 100) else {
        recorded.leftOut += 1
        return nil
      }
      let number = recorded.lines.count + 1
      var message = Self.message(number, method, given).shellQuoted
      for text in params?.longTexts(from: Self.shortestReference).map(\.text) ?? [] {
        guard let place = recorded.known[text] else { continue }
        message = message.replacing(JSONValue.string(text).jsonText, with: "'\(place)'")
        recorded.needsJQ = true
      }
      recorded.lines.append("call \(number) \(message)")
      return number
    }
  }

  func end(_ number: Int?, _ result: JSONValue) {
    guard let number else { return }
    let texts = result.longTexts(from: Self.shortestReference)
    recorded.withLock { recorded in
      for (text, path) in texts where recorded.known[text] == nil {
        guard recorded.take(text.utf8.count + 100, of: Self.mostBytes / 2) else { continue }
        recorded.known[text] = #""$(jq -c \#((".result" + path).shellQuoted) <<<"${answers[\#(number)]}")""#
      }
    }
  }

  private static func message(_ number: Int, _ method: String, _ params: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(number),"method":"\#(method)"\#(params)}"#
  }

  /// The script. `failure` is what it is the replay of: the first line is its title, and it ends with the others.
  func script(_ command: SandboxCommand, failure: String) -> String {
    let recorded = recorded.withLock { $0 }
    let failed = failure.split(whereSeparator: \.isNewline).map(String.init)
    var notes: [String] = []
    if recorded.leftOut > 0 { notes.append("# \(recorded.leftOut) more calls are left out.") }
    if recorded.needsJQ { notes.append("# Needs jq.") }
    let last = recorded.lines.count + 1
    let story = "call \(last) \(Self.message(last, GetSandboxStory.name, "").shellQuoted)"
    return
      (["#!/usr/bin/env bash", "# Replays \(failed.first ?? "the calls of a test")."] + notes + [Self.head(command)]
      + recorded.lines + [story] + failed.dropFirst().prefix(20).map { "echo \($0.shellQuoted)" } + [""])
      .joined(separator: "\n")
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

extension JSONValue {
  /// The texts in the value of at least so many bytes, each with its path for jq. A text that a script would have to
  /// quote, or that is the name of a user, is none of them.
  fileprivate func longTexts(from size: Int) -> [(text: String, path: String)] {
    switch self {
    case .string(let text):
      text.utf8.count >= size && !text.contains { "@'".contains($0) } ? [(text, "")] : []
    case .array(let elements):
      elements.enumerated().flatMap { index, element in
        element.longTexts(from: size).map { ($0.text, "[\(index)]\($0.path)") }
      }
    case .object(let object):
      object.members.flatMap { member in
        member.value.longTexts(from: size).map { ($0.text, "[\(JSONValue.string(member.name).jsonText)]\($0.path)") }
      }
    default: []
    }
  }
}
