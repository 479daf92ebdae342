import BridgeAPI
import JSONRPC
import MAM
import Support

/// The methods by name, each with what answers it.
///
/// An entry is made at its first call: making all of them would be a third of the start-up.
final class MethodTable: Sendable {
  private let makers: [String: @Sendable () -> any MethodEntry]
  private let questionMakers: [String: @Sendable () -> any ExplicableEntry]
  /// Of what can be asked why, in the order of their declaration.
  let questionNames: [String]
  private let entries = Lock<[String: any MethodEntry]>([:])

  init(_ declare: (inout Declarations) -> Void) {
    var declarations = Declarations()
    declare(&declarations)
    makers = declarations.makers
    questionMakers = declarations.questionMakers
    questionNames = declarations.questionNames
  }

  subscript(name: String) -> (any MethodEntry)? {
    entries.withLock { $0[name] } ?? make(name)
  }

  /// A method that can be asked why.
  func question(_ name: String) -> (any ExplicableEntry)? { questionMakers[name]?() }

  var names: Set<String> { Set(makers.keys) }

  private func make(_ name: String) -> (any MethodEntry)? {
    guard let entry = makers[name]?() else { return nil }
    entries.withLock { $0[name] = entry }
    return entry
  }

  struct Declarations {
    fileprivate var makers: [String: @Sendable () -> any MethodEntry] = [:]
    fileprivate var questionMakers: [String: @Sendable () -> any ExplicableEntry] = [:]
    fileprivate var questionNames: [String] = []

    /// Something of its own kind.
    mutating func add(_ name: String, _ make: @escaping @Sendable () -> any MethodEntry) { makers[name] = make }

    /// A method that can be asked why.
    mutating func add(question name: String, _ make: @escaping @Sendable () -> any ExplicableEntry) {
      makers[name] = make
      questionMakers[name] = make
      questionNames.append(name)
    }

    /// A method that needs nothing of the core: answered at once.
    mutating func immediate<M: Method>(_ method: M.Type, _ body: @escaping ImmediateMethod<M>.Body) {
      makers[M.name] = { ImmediateMethod<M>(body: body) }
    }

    /// A method that only reads what the core holds in memory: answered at once when that is up to date.
    mutating func memory<M: Method>(
      _ method: M.Type, _ body: @escaping MemoryMethod<M, M.Params>.Body
    ) {
      makers[M.name] = { MemoryMethod<M, M.Params>(arrival: { params, _ throws(MAMError) in params }, body: body) }
    }

    /// As above; `arrival` runs on the reading thread, before any later call.
    mutating func memory<M: Method, Arrived: Sendable>(
      _ method: M.Type, arrival: @escaping MemoryMethod<M, Arrived>.Arrival,
      _ body: @escaping MemoryMethod<M, Arrived>.Body
    ) {
      makers[M.name] = { MemoryMethod<M, Arrived>(arrival: arrival, body: body) }
    }

    /// A method that may wait for a disk or for somebody. Calls of one connection in the same queue stay in order.
    mutating func work<M: Method>(
      _ method: M.Type, queue: String? = nil, _ body: @escaping WorkMethod<M, M.Params>.Body
    ) {
      work(method, queue: { _ in queue }, body)
    }

    /// As above; the params of a call say which queue it waits in.
    mutating func work<M: Method>(
      _ method: M.Type, queue: @escaping @Sendable (M.Params) -> String?, _ body: @escaping WorkMethod<M, M.Params>.Body
    ) {
      makers[M.name] = { WorkMethod<M, M.Params>(queue: queue, arrival: { params, _ in params }, body: body) }
    }

    /// As above, for a method that is about somebody.
    mutating func work<M: Method>(
      asking method: M.Type, queue: String? = nil, _ body: @escaping WorkMethod<M, Asked<M.Params>>.Body
    ) where M.Params: Targeted {
      work(method, queue: queue, arrival: { Asked($0, on: $1) }, body)
    }

    /// As above; `arrival` runs on the reading thread, before any later call.
    mutating func work<M: Method, Arrived: Sendable>(
      _ method: M.Type, queue: String? = nil, arrival: @escaping WorkMethod<M, Arrived>.Arrival,
      _ body: @escaping WorkMethod<M, Arrived>.Body
    ) {
      makers[M.name] = { WorkMethod<M, Arrived>(queue: { _ in queue }, arrival: arrival, body: body) }
    }

    /// A method whose call decides, on the reading thread, how it is answered.
    mutating func either<M: Method>(_ method: M.Type, _ body: @escaping EitherMethod<M>.Body) {
      makers[M.name] = { EitherMethod<M>(body: body) }
    }
  }
}
