import Configurator
import JSON

/// What `configure --check` tells, in words or as JSON.
struct ConfigureReport {
  let findings: [Finding]

  /// A hint is no gap.
  var isComplete: Bool { findings.allSatisfy { $0.kind == .hint } }

  var text: String { (isComplete ? "nothing is missing\n" : "") + lines }

  var lines: String { findings.map { "\($0.label): \($0.path): \($0.key): \($0.text)\n" }.joined() }

  var json: JSONValue { ["complete": .bool(isComplete), "findings": .array(findings.map(\.json))] }
}

extension Finding {
  fileprivate var label: String {
    switch kind {
    case .edit: "missing"
    case .manual: "by hand"
    case .hint: "hint"
    }
  }

  fileprivate var json: JSONValue {
    ["kind": .string(kind.rawValue), "file": .string(path), "key": .string(key), "text": .string(text)]
  }
}
