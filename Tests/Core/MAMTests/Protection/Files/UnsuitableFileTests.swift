import Glibc
import Model
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Vault

@Suite struct UnsuitableFileTests {
  @Test("Links, pipes, sockets, devices and files with two names cannot be protected")
  func kinds() throws {
    let documents = try DocumentFixture()
    let folder = documents.folder
    link(folder.file("document"), folder.file("second"))
    symlink(folder.file("document"), folder.file("link"))
    mkfifo(folder.file("pipe"), 0o600)
    makeSocket(folder.file("socket"))
    for name in ["document", "second", "link", "pipe", "socket"] {
      #expect(failure { try documents.protect(name) }?.code == .unsuitableFile)
      #expect(failure { try documents.encrypt(name) }?.code == .unsuitableFile)
    }
    let device = failure { try documents.core.files.protect(.init("/dev/null") ?? .root, for: .user("alice")) }
    #expect(device?.code == .unsuitableFile)
    #expect(documents.disk() == DocumentFixture.text)
    for name in ["link", "pipe", "socket"] {
      #expect(try documents.core.files.protectionInfo(documents.path(name)) == nil)
      #expect(try !documents.isEncrypted(name))
    }
  }

  @Test("A file that is open for writing cannot be protected; a file that is open for reading can")
  func inUse() throws {
    let documents = try DocumentFixture()
    var file: DiskFile? = try DiskFile(path: documents.folder.file("document"), flags: O_RDWR)
    let error = failure { try documents.protect() }
    #expect(error?.code == .fileInUse)
    #expect(error?.isRetryable == true)
    #expect(error?.hint != nil)
    #expect(try documents.names() == ["document"])
    file = try DiskFile(path: documents.folder.file("document"), flags: O_RDONLY)
    try documents.protect()
    #expect(try documents.isEncrypted())
    withExtendedLifetime(file) {}
  }

  @Test("A file that is opened for writing during a replacement is not replaced")
  func broken() throws {
    let documents = try DocumentFixture()
    let files = try documents.core.refresh().files.temporary
    var rounds = 0
    let error = failure {
      try FileReplacement.run(FileLocation(documents.path()), files) { source, _ throws(MAMError) in
        rounds += 1
        // Does not wait for the lease to be given up.
        #expect(open(source.location.path, O_WRONLY | O_NONBLOCK) == -1)
        #expect(errno == EAGAIN)
      }
    }
    #expect(error?.code == .fileInUse)
    #expect(rounds == 3)
    #expect(documents.disk() == DocumentFixture.text)
    #expect(try documents.names() == ["document"])
  }

  @Test("An abandoned call does not protect the file and leaves nothing beside it")
  func cancelled() throws {
    let documents = try DocumentFixture()
    let context = CallContext()
    #expect(context.commitPoint.abandon())
    let error = failure { try CallContext.$current.withValue(context) { try documents.protect() } }
    #expect(error?.code == .cancelled)
    #expect(documents.disk() == DocumentFixture.text)
    #expect(try documents.names() == ["document"])
  }

  @Test(
    "Protecting a file in a read-only folder fails with EACCES and a hint",
    .enabled(if: geteuid() != 0, "root may write all"))
  func readOnlyFolder() throws {
    let documents = try DocumentFixture()
    chmod(documents.folder.path, 0o500)
    defer { chmod(documents.folder.path, 0o700) }
    let error = failure { try documents.protect() }
    #expect(error?.code == .fileUnavailable)
    #expect(error?.fault?.number == EACCES)
    #expect(error?.hint != nil)
    #expect(documents.disk() == DocumentFixture.text)
  }

  private func makeSocket(_ path: String) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    _ = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
