import Cryptography
import Glibc
import TestSupport
import Testing

@testable import MAM

@Suite struct TrustedAuthoritiesTests {
  private let folder = TemporaryFolder()

  @Test("Trusted authorities are loaded once, and again after a change of their files or folders")
  func changes() throws {
    let authorities = TrustedAuthorities()
    let paths = [folder.write("a", to: "cert.pem"), folder.file("certs"), folder.file("none")]
    mkdir(paths[1], 0o700)
    var count = 0
    func opened() throws -> Int {
      for _ in 0..<2 {
        _ = try authorities.store(at: paths) { () throws(CryptographyError) in
          count += 1
          return try .system()
        }
      }
      return count
    }
    #expect(try opened() == 1)
    folder.write("ab", to: "cert.pem")
    #expect(try opened() == 2)
    rename(folder.write("ba", to: "new.pem"), paths[0])
    #expect(try opened() == 3)
    unlink(paths[0])
    #expect(try opened() == 4)
    folder.write("c", to: "certs/c.0")
    #expect(try opened() == 5)
    folder.write("d", to: "none")
    #expect(try opened() == 6)
  }

  @Test("Loading trusted authorities is tried again after a failure")
  func failure() throws {
    let authorities = TrustedAuthorities()
    #expect(throws: CryptographyError.self) {
      try authorities.store(at: []) { () throws(CryptographyError) in try .file(folder.file("none")) }
    }
    _ = try authorities.store(at: []) { () throws(CryptographyError) in try .system() }
  }

  @Test("The system's trusted authorities are in at least two absolute paths")
  func paths() {
    #expect(TrustStore.systemPaths.count >= 2)
    #expect(TrustStore.systemPaths.allSatisfy { $0.hasPrefix("/") })
  }
}
