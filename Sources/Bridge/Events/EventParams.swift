import JSON
import Support

/// What every event carries, and beside it in the same object what this one is about.
struct EventParams<Body: Record>: Record {
  var stamp: EventStamp
  var body: Body

  init(_ stamp: EventStamp, _ body: Body) {
    self.stamp = stamp
    self.body = body
  }

  static var fields: Fields<Self, EventStamp, Body> {
    Fields(Self.init, Field(group: \.stamp, EventStamp.fields), Field(group: \.body, Body.fields))
  }
}

/// The place of an event among the others.
struct EventStamp: Record {
  var seq: Int64
  var time: Timestamp
  static let fields = Fields(
    Self.init, Field("seq", \.seq, "Its number, from 1; the next event has the next number."),
    Field("time", \.time, "When it happened."))
}

/// The text of an event's params, made without parsing what the store holds of them.
enum EventText {
  /// `body` is the text of a JSON object without spaces around it.
  static func params(_ stamp: EventStamp, body: String) -> [UInt8] {
    var bytes = Array(stamp.jsonText.utf8.dropLast())
    let members = body.utf8.dropFirst()
    if members.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes.append(contentsOf: members)
    return bytes
  }
}

extension EventStamp {
  static let example = EventStamp(seq: 7, time: Timestamp(milliseconds: 1_770_000_000_000))
}
