import Glibc
import Support
import TestSupport
import Testing

@Suite struct FileSystemTests {
  @Test("Changes are noted at once on a file system of this machine, and surely not on one of the kernel")
  func notesChanges() {
    let folder = TemporaryFolder(inMemory: true)
    #expect(FileSystem(of: folder.path)?.notesChangesAtOnce == true)
    #expect(FileSystem(of: "/proc")?.notesChangesAtOnce == false)
  }

  @Test("The number is that of the kernel, and there is none without a file")
  func number() {
    #expect(FileSystem(of: "/proc")?.number == 0x9FA0)
    let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
    #expect(FileSystem(descriptor)?.number == 0x9FA0)
    close(descriptor)
    #expect(FileSystem(of: "/nothing") == nil)
    #expect(FileSystem(-1) == nil)
  }
}
