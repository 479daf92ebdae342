import JSONRPC

extension ScannedMessage {
  static func scan(_ bytes: [UInt8], limits: ScanLimits = ScanLimits()) -> ScannedMessage {
    bytes.withUnsafeBufferPointer { scan($0, limits: limits) }
  }

  static func scan(_ text: String, limits: ScanLimits = ScanLimits()) -> ScannedMessage {
    scan(Array(text.utf8), limits: limits)
  }

  var syntaxError: JSONSyntaxError? {
    guard case .failure(.syntax(let error)) = self else { return nil }
    return error
  }

  var excess: LimitExcess? {
    guard case .failure(.limit(let excess, id: _)) = self else { return nil }
    return excess
  }
}

/// A frame event whose bytes are its own.
enum Event: Equatable, CustomStringConvertible {
  case message(String)
  case failure(FramingFailure)
  case closed

  init(_ event: FrameEvent) {
    switch event {
    case .message(let bytes): self = .message(String(decoding: bytes, as: UTF8.self))
    case .failure(let failure): self = .failure(failure)
    case .closed: self = .closed
    }
  }

  var description: String {
    switch self {
    case .message(let text): "message(\(text.prefix(80)))"
    case .failure(let failure): "failure(\(failure))"
    case .closed: "closed"
    }
  }
}

/// All events of the chunks, followed by the end of the input.
func events(_ chunks: [[UInt8]], limit: Int = 64 << 20) -> [Event] {
  var decoder = FrameDecoder(maximumMessageBytes: limit)
  var events: [Event] = []
  for chunk in chunks {
    chunk.withUnsafeBytes { decoder.append($0) }
    while let event = decoder.next() { events.append(Event(event)) }
  }
  decoder.endOfInput()
  while let event = decoder.next() { events.append(Event(event)) }
  return events
}

/// The same numbers in each run.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let mixed = (state ^ state >> 33) &* 0xFF51_AFD7_ED55_8CCD
    return mixed ^ mixed >> 29
  }
}

extension [UInt8] {
  /// Pieces of up to `size` bytes, empty ones included.
  func split(upTo size: Int, using generator: inout SeededGenerator) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var rest = self[...]
    while !rest.isEmpty {
      let length = Int.random(in: 0...size, using: &generator)
      pieces.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return pieces
  }
}
