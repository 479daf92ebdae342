import JSON

/// The path of a value in a property list: dictionary keys and array indices, from the root.
package struct PropertyListPath: Hashable, Sendable {
  package enum Step: Hashable, Sendable {
    case key(String)
    case index(Int)
  }

  package var steps: [Step]

  package init(_ steps: [Step]) {
    self.steps = steps
  }

  package static func + (path: PropertyListPath, more: PropertyListPath) -> PropertyListPath {
    PropertyListPath(path.steps + more.steps)
  }
}

extension PropertyListPath: ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: Step...) { self.init(elements) }
}

extension PropertyListPath.Step: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  package init(stringLiteral value: String) { self = .key(value) }
  package init(integerLiteral value: Int) { self = .index(value) }
}

extension PropertyListPath: CustomStringConvertible {
  package var description: String {
    steps.reduce(into: "") { text, step in
      switch step {
      case .key(let name): text += text.isEmpty ? name : ".\(name)"
      case .index(let index): text += "[\(index)]"
      }
    }
  }
}

extension JSONValue {
  package func value(at path: PropertyListPath) -> JSONValue? {
    path.steps.reduce(self) { value, step in
      switch step {
      case .key(let name): value?[name]
      case .index(let index): value?.arrayValue.flatMap { $0.indices.contains(index) ? $0[index] : .none }
      }
    }
  }
}
