import Glibc
import Support

/// The program that copies the tenant at an address into a folder: `mambridge-tenant pull`. It gets the standard error
/// of this process, where it says what is wrong, and asks a person to sign in.
package final class TenantPullProgram: Sendable {
  /// Why there is no folder, as a sentence.
  package struct Failure: Error, Hashable {
    package let text: String
  }

  /// How long a pull may take. A program that is stopped would wait forever.
  private static let longestSeconds = 1_800
  private static let graphHosts = [
    "graph.microsoft.com", "graph.microsoft.us", "dod-graph.microsoft.us", "microsoftgraph.chinacloudapi.cn",
  ]

  /// The address, such as `https://mam.contoso.example`.
  package let address: String
  /// Whether the address is that of Microsoft Graph, and not of a tenant service.
  package let isGraph: Bool
  private let options: [String]
  private let child = Lock<(process: ChildProcess?, isStopped: Bool)>((nil, false))

  /// `options` are those of `mambridge-tenant pull`.
  package init(_ address: String, options: [String]) {
    (self.address, self.options) = (address, options)
    let host = address.split(separator: "/").dropFirst().first.map { $0.prefix { $0 != ":" } } ?? ""
    isGraph = Self.graphHosts.contains(String(host).lowercased())
  }

  /// Whether a name is that of a tenant to be pulled.
  package static func isAddress(_ name: String) -> Bool { name.hasPrefix("https://") || name.hasPrefix("http://") }

  /// The folder is new or a copy of one: nothing in it is protected from what the address does not have.
  func words(into folder: String) -> [String] {
    let source = [isGraph ? "--graph" : "--service", address]
    return [SourceProgram.servicePath, "pull", folder] + source + ["--allow-removals"] + options
  }

  package func run(into folder: String) throws(Failure) {
    let process: ChildProcess
    do throws(SystemError) {
      process = try ChildProcess.start(words(into: folder), output: .nothing).get()
    } catch {
      throw Failure(
        text: "\(SourceProgram.serviceProgram) cannot be started: \(error.text). "
          + SourceProgram.tenantService(at: address).remedy)
    }
    let isStopped = child.withLock { child in
      child.process = process
      return child.isStopped
    }
    if isStopped { stop() }
    let ending = try ending(of: process)
    guard ending.isSuccess else { throw Failure(text: "\(SourceProgram.serviceProgram) pull \(ending.text)") }
  }

  /// Ends the program, which then leaves no folder.
  package func stop() {
    let process = child.withLock { child in
      child.isStopped = true
      return child.process
    }
    process?.signal(SIGTERM)
  }

  private func ending(of process: ChildProcess) throws(Failure) -> ChildProcess.Ending {
    let handle = process.openHandle()
    defer { if handle >= 0 { close(handle) } }
    let end = ContinuousClock.now.advanced(by: .seconds(Self.longestSeconds))
    while ContinuousClock.now < end {
      if let ending = process.reap() { return ending }
      // Without a handle, it looks again after a moment.
      var polled = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
      _ = poll(&polled, 1, handle >= 0 ? 10_000 : 50)
    }
    process.signal(SIGKILL)
    throw Failure(
      text: "\(SourceProgram.serviceProgram) did not end within \(Self.longestSeconds / 60) minutes, and was killed")
  }
}
