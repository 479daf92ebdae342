import Glibc
import Support
import TestSupport
import Testing

@Suite struct FileSystemTests {
  @Test("A file system in memory notes changes at once, and /proc does not")
  func notesChanges() {
    let folder = TemporaryFolder(inMemory: true)
    #expect(FileSystem(of: folder.path)?.notesChangesAtOnce == true)
    #expect(FileSystem(of: "/proc")?.notesChangesAtOnce == false)
  }

  @Test("A file system has the number that the kernel gives it, and a missing file has no file system")
  func number() {
    #expect(FileSystem(of: "/proc")?.number == 0x9FA0)
    let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
    #expect(FileSystem(descriptor)?.number == 0x9FA0)
    close(descriptor)
    #expect(FileSystem(of: "/nothing") == nil)
    #expect(FileSystem(-1) == nil)
  }
}
