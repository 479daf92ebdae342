import JSON
import Support

/// What every event carries, and beside it in the same object what this one is about.
package struct EventParams<Body: Record>: Record {
  package var stamp: EventStamp
  package var body: Body

  package init(_ stamp: EventStamp, _ body: Body) {
    self.stamp = stamp
    self.body = body
  }

  package static var fields: Fields<Self, EventStamp, Body> {
    Fields(Self.init, Field(group: \.stamp, EventStamp.fields), Field(group: \.body, Body.fields))
  }
}

/// The place of an event among the others.
package struct EventStamp: Record {
  package var seq: Int64
  package var time: Timestamp

  package init(seq: Int64, time: Timestamp) {
    self.seq = seq
    self.time = time
  }

  package static let fields = Fields(
    Self.init(seq:time:), Field("seq", \.seq, "Its number, from 1; the next event has the next number."),
    Field("time", \.time, "When it happened."))
}

/// The text of an event's params, made without parsing what the store holds of them.
package enum EventText {
  /// `body` is the text of a JSON object without spaces around it.
  package static func params(_ stamp: EventStamp, body: String) -> [UInt8] {
    var bytes = Array(stamp.jsonText.utf8.dropLast())
    let members = body.utf8.dropFirst()
    if members.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes.append(contentsOf: members)
    return bytes
  }
}
