import BridgeAPI
import JSONRPC
import MAM

/// The methods by name, each with what answers it.
struct MethodTable: Sendable {
  private var entries: [String: any MethodEntry] = [:]

  subscript(name: String) -> (any MethodEntry)? { entries[name] }

  var names: Set<String> { Set(entries.keys) }

  /// A method that needs nothing of the core: answered at once.
  mutating func immediate<M: Method>(_ method: M.Type, _ body: @escaping ImmediateMethod<M>.Body) {
    entries[M.name] = ImmediateMethod<M>(body: body)
  }

  /// A method that only reads what the core holds in memory: answered at once when that is up to date.
  mutating func memory<M: Method>(_ method: M.Type, _ body: @escaping MemoryMethod<M>.Body) {
    entries[M.name] = MemoryMethod<M>(body: body)
  }

  /// A method that may wait for a disk or for somebody.
  mutating func work<M: Method>(_ method: M.Type, _ body: @escaping WorkMethod<M>.Body) {
    entries[M.name] = WorkMethod<M>(body: body)
  }
}
