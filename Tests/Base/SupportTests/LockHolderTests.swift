import Glibc
import TestSupport
import Testing

@testable import Support

@Suite struct LockHolderTests {
  @Test("The process that holds a lock is named by number and program, if it can be found")
  func named() throws {
    let folder = TemporaryFolder()
    let path = folder.write("", to: "file")
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    #expect(LockHolder.name(of: descriptor) == "another process")
    var holder: LockingProcess? = try LockingProcess(path)
    #expect(LockHolder.name(of: descriptor) == "process \(holder?.identifier ?? 0) (flock)")
    holder = nil
    #expect(flock(descriptor, LOCK_EX) == 0)
    #expect(holder == nil)
    #expect(LockHolder.name(of: descriptor) == "another call of this server")
  }

  @Test("A process that waits for a lock is not named as its holder")
  func waiting() {
    var file = stat()
    (file.st_dev, file.st_ino) = (0xFE01, 77)
    let place = "fe:01:77"
    let waiter = "1: -> FLOCK ADVISORY WRITE 41 \(place) 0 EOF"
    #expect(LockHolder.holder(of: file, in: waiter) == nil)
    #expect(LockHolder.holder(of: file, in: "\(waiter)\n1: FLOCK ADVISORY WRITE 42 \(place) 0 EOF\n") == 42)
  }
}
