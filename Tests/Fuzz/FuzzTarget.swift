import Glibc

/// What libFuzzer calls with each input that it makes up; its `main` is in the runtime.
@_cdecl("LLVMFuzzerTestOneInput")
public func checkOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let input = FuzzInput(UnsafeBufferPointer(start: start, count: count)) else { return -1 }
  let frames = frames(of: input.stream[...], limits: input.limits)
  check(frames == pieceFrames(of: input), "frames differ by the pieces in which they came")
  for case .message(let message) in frames { checkMessage(message, limits: input.limits.scan) }
  checkConversation(input, frames)
  return 0
}

func check(_ condition: Bool, _ finding: @autoclosure () -> String) {
  if !condition { fail(finding()) }
}

/// Ends the process, for libFuzzer to keep the input.
func fail(_ finding: String) -> Never {
  let text = Array("FINDING: \(finding)\n".utf8)
  _ = text.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  abort()
}
