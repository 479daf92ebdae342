import JSON
import JSONRPC

/// What the model knows of one request.
struct ModelledRequest {
  enum Kind: CaseIterable { case echo, fail, work, commits, event, handshake }

  let id: Int
  let kind: Kind
  let isInBatch: Bool
  var queue: Int?
  var hasDeadline = false
  var isCancelled = false

  var text: String {
    let queue = queue.map { #""queue":"\#($0)""# }
    let meta = hasDeadline ? #""_meta":{"timeoutMilliseconds":1}"# : nil
    let waits = kind == .event ? #""isWaiting":true"# : nil
    let members = [queue, meta, waits].compactMap { $0 }.joined(separator: ",")
    switch kind {
    case .echo: return request("\(id)", "echo")
    case .fail: return request("\(id)", "fail")
    case .handshake: return request("\(id)", "initialize")
    case .work: return steps("\(id)", ["note begin \(id)", "wait \(id)"], members)
    case .commits:
      return steps("\(id)", ["note begin \(id)", "wait \(id)", "commit", "note commit \(id)"], members)
    case .event: return steps("\(id)", ["event \(id)"], members)
    }
  }

  var hasWork: Bool {
    switch kind {
    case .work, .commits, .event: true
    case .echo, .fail, .handshake: false
    }
  }

  /// What it is answered when nothing comes between.
  var outcomes: Set<String> {
    switch kind {
    case .echo: ["null"]
    case .fail: ["5001"]
    case .work, .commits: ["true"]
    case .event: ["true", "\"nothing yet\""]
    case .handshake: ["\"host\"", "-32600"]
    }
  }
}

/// One reply as it came.
struct SeenReply {
  let id: Int
  let outcome: String
  let committed: Bool?

  init?(_ value: JSONValue) {
    guard let id = value["id"]?.integerValue else { return nil }
    self.id = Int(id)
    outcome = (value["error"]?["code"] ?? value["result"] ?? "neither").jsonText
    committed = value["error"]?["data"]?["committed"]?.boolValue
  }
}

/// A connection at random: requests of all kinds, ends of work, cancels, deadlines, handshakes, slow reading.
struct HostSchedule {
  private(set) var generator: SeededGenerator
  let peer: Peer
  let inFlight: Int
  private(set) var requests: [ModelledRequest] = []
  private(set) var batches: [[Int]] = []
  private(set) var isAbandoned = false
  private var unreleased: [Int] = []
  private var output = ""

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    var limits = SessionLimits()
    limits.waitingRequests = Int.random(in: 1...40, using: &generator)
    limits.outputBytes = Int.random(in: 1...4000, using: &generator)
    limits.inFlight = Bool.random(using: &generator) ? 1024 : Int.random(in: 1...10, using: &generator)
    inFlight = limits.inFlight
    peer = Peer(limits: limits)
    if Bool.random(using: &generator) { peer.send(add(.handshake, isInBatch: false)) }
  }

  mutating func step() {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<35: peer.send(add(randomKind(), isInBatch: false))
    case 35..<42: sendBatch()
    case 42: peer.send(add(.handshake, isInBatch: false))
    case 43..<55: sendCancel()
    case 55..<80: releaseOne()
    case 80..<90: peer.session.run()
    default: takeOutput(upTo: 2000)
    }
  }

  /// Ends the connection, one way or the other, and returns every line that came.
  mutating func finish(abandoning: Bool) -> [String] {
    isAbandoned = abandoning
    if !abandoning { peer.session.endOfInput() }
    if abandoning { peer.session.abandon() }
    while !unreleased.isEmpty { releaseOne() }
    while !peer.session.isFinished || peer.session.hasOutput {
      if peer.session.hasOutput { takeOutput(upTo: .max) } else { peer.waitForWork() }
    }
    return output.split(separator: "\n").map(String.init)
  }

  private mutating func randomKind() -> ModelledRequest.Kind {
    let kind = ModelledRequest.Kind.allCases.randomElement(using: &generator) ?? .echo
    return kind == .handshake ? .echo : kind
  }

  private mutating func add(_ kind: ModelledRequest.Kind, isInBatch: Bool) -> String {
    var request = ModelledRequest(id: requests.count, kind: kind, isInBatch: isInBatch)
    if request.hasWork {
      unreleased.append(request.id)
      request.hasDeadline = Int.random(in: 0..<5, using: &generator) == 0
      if Bool.random(using: &generator) { request.queue = Int.random(in: 0..<3, using: &generator) }
    }
    requests.append(request)
    return request.text
  }

  private mutating func sendBatch() {
    let first = requests.count
    var texts: [String] = []
    for _ in 0..<Int.random(in: 1...5, using: &generator) { texts.append(add(randomKind(), isInBatch: true)) }
    batches.append(Array(first..<requests.count))
    if Bool.random(using: &generator) { texts.append(notification("fail")) }
    peer.send("[\(texts.joined(separator: ","))]")
  }

  /// Mostly of a late one, sometimes of one that does not exist yet.
  private mutating func sendCancel() {
    let id = max(0, requests.count + 2 - Int.random(in: 0..<30, using: &generator))
    if requests.indices.contains(id) { requests[id].isCancelled = true }
    peer.send(cancel("\(id)"))
  }

  private mutating func releaseOne() {
    guard let index = unreleased.indices.randomElement(using: &generator) else { return }
    peer.release("\(unreleased.remove(at: index))")
  }

  private mutating func takeOutput(upTo limit: Int) {
    let size = limit == .max ? limit : Int.random(in: 1...limit, using: &generator)
    output += peer.session.withOutput { String(decoding: $0.prefix(size), as: UTF8.self) }
    peer.session.consumeOutput(size)
  }
}
