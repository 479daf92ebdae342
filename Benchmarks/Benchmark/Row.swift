/// A line of the table. A row without a limit is for information.
struct Row {
  let title: String
  let value: Double
  var unit = ""
  var atLeast: Double?
  var atMost: Double?
  var detail = ""

  fileprivate var json: String {
    let limits = [("at_least", atLeast), ("at_most", atMost)].compactMap { name, limit in
      limit.map { #","\#(name)":\#($0)"# }
    }
    return #"{"title":"\#(title)","value":\#(value),"unit":"\#(unit)","detail":"\#(detail)"\#(limits.joined())}"#
  }
}

extension [Row] {
  var json: String { "[\(map(\.json).joined(separator: ","))]" }
}
