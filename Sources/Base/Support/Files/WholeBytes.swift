import Glibc

/// Repeats a system call for as long as a signal interrupts it. Returns its last result; if that is negative, `errno` is
/// the reason.
package func uninterrupted(_ call: () -> Int) -> Int {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}

/// Moves all bytes between memory and a descriptor, however many system calls that takes.
package enum WholeBytes {
  /// Writes at the current place of the descriptor.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    let failure = bytes.withUnsafeBytes { bytes in
      fault(writing: bytes.count) { done in
        Glibc.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
      }
    }
    if let failure { throw failure }
  }

  /// Writes at an offset, in one system call where possible, so that a kill tears the data only at page boundaries.
  package static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int
  ) throws(SystemError) {
    let failure = fault(writing: bytes.count) { done in
      pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
    }
    if let failure { throw failure }
  }

  /// Reads at an offset until the buffer is full or the file ends. Returns how many bytes were read.
  package static func read(
    _ descriptor: Int32, into target: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    var done = 0
    while done < target.count {
      let count = uninterrupted {
        pread(descriptor, target.baseAddress.map { $0 + done }, target.count - done, off_t(offset + done))
      }
      guard count >= 0 else { throw .current }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Calls `write` with the number of bytes that are written. EIO if it writes none. `errno` is the reason, too.
  private static func fault(writing total: Int, _ write: (_ done: Int) -> Int) -> SystemError? {
    var done = 0
    while done < total {
      let count = uninterrupted { write(done) }
      if count == 0 { errno = EIO }
      guard count > 0 else { return .current }
      done += count
    }
    return nil
  }
}
