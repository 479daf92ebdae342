import FoundationEssentials
import Glibc
import Support

/// What reads bytes of others, each with what must be true whatever the bytes are.
enum FuzzTarget: String, CaseIterable, Sendable {
  /// Framing, envelope and a whole session.
  case wire
  /// The params of every method, in a session.
  case params
  /// URLs, and the paths, queries and forms in them.
  case http
  /// Policies as Graph and the SDK write them.
  case policies
  /// The files of a tenant.
  case tenant
  /// Rules of assignment filters.
  case filters
  /// What a policy source answers and sends.
  case source
  /// Tokens, and the keys of their provider.
  case tokens
  /// Protected buffers with changes.
  case buffers
  /// Encrypted files with changes.
  case files
  /// The database of a state with damaged pages.
  case database
  /// Property lists, binary or XML.
  case plists
  /// Activation predicates.
  case predicates
  /// Files of expectations, for `tenant test`. Only in the tests: what reads them is a part of a program, and a program
  /// cannot be linked with libFuzzer's `main`.
  case expectations
  /// Logs of phones.
  case logs
  /// Paths, queries and filters of Graph.
  case odata

  /// Reads one input. Returns false if the input is none for this target.
  func check(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    switch self {
    case .wire: return checkWire(bytes, readingParams: false)
    case .params: return checkWire(bytes, readingParams: true)
    case .http: checkHTTP(Array(bytes))
    case .policies: checkPolicies(Array(bytes))
    case .tenant: checkTenant(Array(bytes))
    case .filters: checkFilterRule(Array(bytes))
    case .source: checkSource(Array(bytes))
    case .tokens: checkTokens(Array(bytes))
    case .buffers: checkBuffer(Array(bytes))
    case .files: checkFile(Array(bytes))
    case .database: checkDatabase(Array(bytes))
    case .plists: checkPropertyList(Array(bytes))
    case .predicates: checkPredicate(Array(bytes))
    case .expectations:
      #if EXPECTATIONS
        checkExpectations(Array(bytes))
      #else
        return false
      #endif
    case .logs: checkLog(Array(bytes))
    case .odata: checkGraphRequest(Array(bytes))
    }
    return true
  }
}

private let current = Lock<[UInt8]>([])

extension FuzzTarget {
  /// The target of this process.
  static let chosen: FuzzTarget = {
    let name = getenv("MAMBRIDGE_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
      fail("MAMBRIDGE_FUZZ_TARGET must be one of \(allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return target
  }()
}

/// What libFuzzer calls with each input that it makes up; its `main` is in the runtime.
@_cdecl("LLVMFuzzerTestOneInput")
package func checkOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkOneInput(UnsafeBufferPointer(start: start, count: count), of: .chosen) ? 0 : -1
}

/// Returns false if the input is none for the target.
@discardableResult
func checkOneInput(_ bytes: UnsafeBufferPointer<UInt8>, of target: FuzzTarget) -> Bool {
  current.withLock { $0 = Array(bytes) }
  return target.check(bytes)
}

private func checkWire(_ bytes: UnsafeBufferPointer<UInt8>, readingParams: Bool) -> Bool {
  guard let input = FuzzInput(bytes, readsParams: readingParams) else { return false }
  let frames = frames(of: input.stream[...], limits: input.limits)
  check(frames == pieceFrames(of: input), "frames differ by the pieces in which they came")
  for case .message(let message) in frames { checkMessage(message, limits: input.limits.scan) }
  checkConversation(input, frames)
  return true
}

func check(_ condition: Bool, _ finding: @autoclosure () -> String) {
  if !condition { fail(finding()) }
}

/// Ends the process, for libFuzzer to keep the input. Prints the input as a line of the corpus.
func fail(_ finding: String) -> Never {
  let input = Data(current.withLock { $0 }).base64EncodedString()
  let text = Array("FINDING: \(finding)\nwith input \(input)\n".utf8)
  _ = text.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  abort()
}
