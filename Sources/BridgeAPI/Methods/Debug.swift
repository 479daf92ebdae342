import JSON
import Model
import Support

package enum AdvanceClock: Method {
  package static let name = "debug.advanceClock"
  package static let summary = "Moves the manual clock forward, doing on the way all that becomes due."
  package static let details = """
    Needs --clock manual, on which time stands still and nothing runs by itself. Each check-in that becomes due happens \
    at its time and in order, with its events, before the answer; PT0S does what is due now. The policy source is read \
    once. Commit point: the store's transaction.
    """
  package struct Params: Record {
    package var by: AdvanceDuration
    package static let fields = Fields(
      Self.init(by:), Field("by", \.by, "How far, such as PT30M or P90D; 366 days at most."))
  }
  package struct Result: Record {
    package var time: Timestamp
    package static let fields = Fields(Self.init(time:), Field("time", \.time, "The time by the clock now."))

    package init(time: Timestamp) {
      self.time = time
    }
  }
  package static let resultSummary = "Where the clock stands."
  package static let errors: [APIError] = [.manualClockNeeded] + .store
  package static let example = Example(
    Params(by: AdvanceDuration(ISODuration(seconds: 1800))),
    Result(time: Timestamp(milliseconds: 1_770_000_000_000)))
}

/// A duration of 366 days at most: every check-in on the way is made.
package struct AdvanceDuration: FieldValue, Hashable {
  package let duration: ISODuration

  init(_ duration: ISODuration) {
    self.duration = duration
  }

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> AdvanceDuration {
    let duration = try ISODuration.decode(node)
    guard duration.seconds <= 366 * 86_400 else {
      throw JSONDecodingError(.invalid("must be at most P366D; call again to go further"))
    }
    return AdvanceDuration(duration)
  }

  package func encode(to writer: inout JSONWriter) { duration.encode(to: &writer) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ISODuration.schema(in: &components)
  }
}
