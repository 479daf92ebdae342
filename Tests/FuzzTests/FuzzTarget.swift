import FoundationEssentials
import Glibc
import Support

private let current = Lock<[UInt8]>([])

/// What libFuzzer calls with each input that it makes up; its `main` is in the runtime.
@_cdecl("LLVMFuzzerTestOneInput")
package func checkOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  guard let input = FuzzInput(bytes) else { return -1 }
  current.withLock { $0 = Array(bytes) }
  let frames = frames(of: input.stream[...], limits: input.limits)
  check(frames == pieceFrames(of: input), "frames differ by the pieces in which they came")
  for case .message(let message) in frames { checkMessage(message, limits: input.limits.scan) }
  checkConversation(input, frames)
  return 0
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
