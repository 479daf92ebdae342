import Glibc
import JSON
import JSONRPC
import Support

/// `echo` returns its params, `big` a text of that length; `held` waits until the test lets go,
/// `waits` does too and may be cut; `blocks` keeps the thread that reads until the test says `unblock`.
final class FakeHandler: MethodHandler {
  let hold = Hold()
  private let admission: Admission?
  private let count = Lock(0)
  private let calls = Semaphore()
  private let blocked = Semaphore()

  init(admission: Admission? = nil) {
    self.admission = admission
  }

  var callCount: Int { count.withLock { $0 } }

  /// Until one more call has come.
  func waitForCall() { calls.wait() }

  func unblock() { blocked.signal() }

  func call(_ method: String, _ params: JSONNode?, into writer: inout JSONWriter) throws(RPCError) -> Work? {
    count.withLock { $0 += 1 }
    calls.signal()
    switch method {
    case "echo": writer.raw(Array((params?.value ?? .null).jsonText.utf8))
    case "big": writer.string(String(repeating: "x", count: Int(params?.element(0)?.integer ?? 0)))
    case "slow":
      usleep(20_000)
      writer.null()
    case "blocks":
      blocked.wait()
      writer.bool(true)
    case "held":
      return Work { [hold] () async throws(RPCError) in
        await hold.wait()
        return Array("true".utf8)
      }
    case "waits":
      return Work(isWaiting: true) { [hold] () async throws(RPCError) in
        await hold.waitUnlessCancelled()
        return Array((Task.isCancelled ? "\"cut\"" : "\"whole\"").utf8)
      }
    case "authenticate":
      try admission?.present(params?.member("token")?.string ?? "")
      writer.null()
    default: throw RPCError(.methodNotFound)
    }
    return nil
  }
}

/// Work waits here until it is let go.
final class Hold: Sendable {
  private struct State {
    var isOpen = false
    var count = 0
    var cancelled: Set<Int> = []
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Lock(State())

  func wait() async { await wait(number()) }

  func waitUnlessCancelled() async {
    let number = number()
    await withTaskCancellationHandler {
      await wait(number)
    } onCancel: {
      cancel(number)
    }
  }

  func letGo() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume() }
  }

  private func number() -> Int {
    state.withLock { state in
      state.count += 1
      return state.count
    }
  }

  private func wait(_ number: Int) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        let isOver = state.isOpen || state.cancelled.contains(number)
        if !isOver { state.waiting[number] = continuation }
        return isOver
      }
      if isOver { continuation.resume() }
    }
  }

  private func cancel(_ number: Int) {
    let waiting = state.withLock { state in
      state.cancelled.insert(number)
      return state.waiting.removeValue(forKey: number)
    }
    waiting?.resume()
  }
}

func request(_ id: Int, _ method: String, _ params: String = "[]") -> String {
  #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
}

func result(_ id: Int, _ value: String) -> String { #"{"jsonrpc":"2.0","id":\#(id),"result":\#(value)}"# }

/// The id and code of an error, such as `1: -32002`.
func failure(_ line: String?) -> String {
  guard let line, let reply = try? JSONValue(parsing: line) else { return "no JSON: \(line ?? "the end")" }
  return "\(reply["id"]?.jsonText ?? "no id"): \(reply["error"]?["code"]?.jsonText ?? "no error")"
}
