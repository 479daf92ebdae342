import Glibc
import Support
import TestSupport
import Testing

@Suite struct FlockTests {
  private let folder = TemporaryFolder()

  private func opened() -> Int32 { open(folder.file("lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }

  @Test("Flock lets one writer or several readers hold a lock, and a waiting one gets it on release")
  func holders() {
    let (first, second) = (opened(), opened())
    defer { for descriptor in [first, second] { close(descriptor) } }
    #expect(Flock.take(first, for: .reading) == .taken)
    #expect(Flock.take(second, for: .reading) == .taken)
    #expect(Flock.take(first) == .held)
    Flock.release(second)
    #expect(Flock.take(first) == .taken)
    #expect(Flock.take(second, for: .reading) == .held)
    var pauses = 0
    let outcome = Flock.take(second) {
      pauses += 1
      if pauses == 3 { Flock.release(first) }
      return pauses < 9
    }
    #expect(outcome == .taken)
    #expect(pauses == 3)
  }

  @Test("Flock reports the system error if a descriptor cannot be locked")
  func failure() async {
    #expect(Flock.take(-1) == .failed(SystemError(number: EBADF)))
    #expect(await Flock.take(-1, pause: { true }) == .failed(SystemError(number: EBADF)))
  }
}
