import Testing
import Transport

private let accepted: [(text: String, host: String, port: Int, written: String)] = [
  ("tcp://127.0.0.1:0", "127.0.0.1", 0, "tcp://127.0.0.1:0"),
  ("tcp://127.0.0.1:65535", "127.0.0.1", 65535, "tcp://127.0.0.1:65535"),
  ("tcp://[::1]:8080", "::1", 8080, "tcp://[::1]:8080"),
  ("tcp://localhost:00080", "localhost", 80, "tcp://localhost:80"),
]

private let paths = ["/s", "/run/user/1000/bridge.sock", "/a b/%20/ü", "/" + String(repeating: "x", count: 106)]

private let refused = [
  "", "tcp", "tcp:", "tcp:/", "tcp://", "tcp://:", "tcp://:80", "tcp://127.0.0.1", "tcp://127.0.0.1:", "127.0.0.1:80",
  "TCP://127.0.0.1:80", "HTTP://127.0.0.1:80", "https://127.0.0.1:80", "http://", "http://127.0.0.1",
  "http://127.0.0.1:80/", "unix:", "unix:/", "unix://", "unix:///", "unix://relative", "unix:///folder/",
  "unix:///a\u{0}b",
  "unix:/tmp/x", "tcp://127.0.0.1:65536", "tcp://127.0.0.1:-1",
  "tcp://127.0.0.1:+80", "tcp://127.0.0.1:80/", "tcp://127.0.0.1: 80", "tcp://127.0.0.1:80 ", "tcp://127.0.0.1:0x50",
  "tcp://127.0.0.1:000080", "tcp://127.0.0.1:99999999999999999999", "tcp://127.0.0.1:٣", "tcp://127.0.0.1:８０",
  "tcp:/\u{301}/127.0.0.1:80", "tcp://\u{301}:", ":::::", "tcp://[::1]",
]

private let elsewhere = [
  "0.0.0.0", "192.168.1.1", "example.com", "[::]", "::1", "[::1", "[127.0.0.1]", "127.0.0.2", "127.1", " 127.0.0.1",
  "user@127.0.0.1", "LOCALHOST", "localhost.example.com", "\u{0}", "127.0.0.1:80",
]

@Suite("Listen addresses")
struct ListenAddressTests {
  @Test("A listen address can be tcp:// with a loopback host and a port", arguments: accepted)
  func accepts(_ text: String, _ host: String, _ port: Int, _ written: String) throws {
    let address = try ListenAddress(text)
    #expect(address == .tcp(host: host, port: port))
    #expect(address.description == written)
    #expect(try ListenAddress(address.description) == address)
  }

  @Test("A listen address can be http:// with a loopback host and a port", arguments: accepted)
  func acceptsHTTP(_ text: String, _ host: String, _ port: Int, _ written: String) throws {
    let address = try ListenAddress("http" + text.dropFirst(3))
    #expect(address == .http(host: host, port: port))
    #expect(address.description == "http" + written.dropFirst(3))
  }

  @Test("A listen address can be unix:// with an absolute path, which is taken literally", arguments: paths)
  func acceptsPaths(_ path: String) throws {
    let address = try ListenAddress("unix://" + path)
    #expect(address == .unix(path: path))
    #expect(address.description == "unix://" + path)
  }

  @Test("A unix socket path of over 107 bytes is refused", arguments: ["/" + String(repeating: "x", count: 107)])
  func tooLong(_ path: String) {
    #expect(throws: ListenAddress.Failure.pathTooLong(path)) { try ListenAddress("unix://" + path) }
    #expect(ListenAddress.Failure.pathTooLong(path).description.contains("107"))
  }

  @Test("Only a listener on a unix socket needs no token")
  func tokens() throws {
    #expect(try ListenAddress("tcp://127.0.0.1:0").needsToken)
    #expect(try ListenAddress("http://127.0.0.1:0").needsToken)
    #expect(try !ListenAddress("unix:///s").needsToken)
  }

  @Test("A malformed listen address is refused", arguments: refused)
  func refuses(_ text: String) {
    #expect(throws: ListenAddress.Failure.notAnAddress(text)) { try ListenAddress(text) }
  }

  @Test("A listen address is refused if its host is not one of the exact loopback names", arguments: elsewhere)
  func refusesOthers(_ host: String) {
    #expect(throws: ListenAddress.Failure.notLoopback(host)) { try ListenAddress("tcp://\(host):80") }
    #expect(throws: ListenAddress.Failure.notLoopback(host)) { try ListenAddress("http://\(host):80") }
  }

  @Test("Every prefix of a valid listen address is either valid or refused")
  func prefixes() {
    for (text, _, _, _) in accepted {
      for length in 0...text.count {
        let parsed = try? ListenAddress(String(text.prefix(length)))
        #expect(parsed == nil || length > text.count - 5)
      }
    }
  }
}
