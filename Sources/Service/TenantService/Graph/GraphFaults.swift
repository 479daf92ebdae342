import JSON
import Model

/// The refusals of what is written, in Graph's own words, each with what helps to correct it.
extension GraphError {
  /// The body does not fit the schema.
  static func model(_ message: String) -> GraphError { GraphError(400, "ModelValidationFailure", message) }

  /// As Intune itself refuses: the message is a JSON text.
  static func intune(_ status: Int, _ code: String, _ message: String) -> GraphError {
    var error = GraphError(status, code, message)
    error.isNested = true
    return error
  }

  static func unreadable(_ reason: String) -> GraphError {
    .badRequest(
      "Unable to read JSON request payload. Please ensure Content-Type header is set and payload is of valid JSON format. "
        + "\(reason)")
  }

  static func unknownMember(_ name: String, of type: String, known: [String]) -> GraphError {
    .model(
      "The property '\(name.prefix(100))' does not exist on type '\(type)'. Make sure to only use property names that are "
        + "defined by the type." + known.hint(name))
  }

  static func unknownParameter(_ name: String, of action: String, known: [String]) -> GraphError {
    .model(
      "The parameter '\(name.prefix(100))' in the request payload is not a valid parameter for the operation '\(action)'."
        + known.hint(name))
  }

  /// `rule` says what the value must be.
  static func mismatch(_ path: String, _ rule: String, _ value: JSONValue) -> GraphError {
    .badRequest(
      "Property \(path) in payload has a value that does not match schema. It must be \(rule), not \(value.brief).")
  }

  static func unknownWord(_ word: String, of path: String, known: [String]) -> GraphError {
    guard !word.isEmpty else {
      return .model(
        "Must specify valid information for parsing in the string. The property '\(path)' must be one of "
          + "\(known.joined(separator: ", ")).")
    }
    return .model(
      "Requested value '\(word.prefix(100))' was not found. The property '\(path)' must be one of "
        + "\(known.joined(separator: ", "))." + known.hint(word))
  }

  static func abstractType(_ place: String, example: String) -> GraphError {
    .model("Cannot create an abstract class. Give \(place) an @odata.type, such as \"#microsoft.graph.\(example)\".")
  }

  static func unknownType(_ name: String, known: [String]) -> GraphError {
    .model(
      "A type named 'microsoft.graph.\(name.prefix(100))' could not be resolved by the model. When a model is available, "
        + "each type name must resolve to a valid type." + known.hint(name))
  }
}

extension [String] {
  fileprivate func hint(_ name: String) -> String { nearest(to: name).map { " Did you mean '\($0)'?" } ?? "" }
}

extension JSONValue {
  /// The value as JSON, cut off if it is long.
  var brief: String {
    let text = jsonText
    return text.count > 80 ? text.prefix(79) + "…" : text
  }
}
