import Glibc
import Support
import TestSupport
import Testing

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
}
