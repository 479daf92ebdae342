import HTTPServer
import NIOCore
import Support

/// Answers what a page asks its server about a text, such as a log. The text is kept nowhere.
package struct PageExaminer: Sendable {
  /// In bytes. A longer text is refused.
  let limit: Int
  /// What to do instead of sending a longer text, as in `SocketService.largeBodyHint`.
  let hint: String
  /// Returns JSON. Runs in a task on a thread that may block; the task is cancelled if nobody waits for the answer.
  let examine: @Sendable (ClearedBytes) -> [UInt8]

  package init(limit: Int, hint: String, examine: @escaping @Sendable (ClearedBytes) -> [UInt8]) {
    (self.limit, self.hint, self.examine) = (limit, hint, examine)
  }
}

/// An examination, until its answer is with the connection.
final class PageExamination: HTTPWork {
  private let task: Task<Void, Never>

  init(_ text: ClearedBytes, by examiner: PageExaminer, on connection: HTTPConnection) {
    let handle = connection.handle
    task = Task(executorPreference: BlockingExecutor.shared) {
      let answer = examiner.examine(text)
      handle.execute { connection in
        let body = [ByteBuffer(bytes: answer)]
        connection.finish(BridgeApplication.reply(.ok, [("Content-Type", "application/json")], body))
      }
    }
  }

  func clientDidEnd() { task.cancel() }

  func serverDidEnd() { task.cancel() }

  func abandon() -> Bool {
    task.cancel()
    return false
  }
}
