// mambridge-tenant is the other program: it serves a tenant to many hosts, publishes and pulls tenant folders, signs
// people in, and orders wipes. It is also the policy source that mambridge starts for `--tenant https://…`.
//
// Everything with a network is compiled only with the trait `TenantService`; without it, the program says so and
// ends. Serve/ puts the service together: certificates, listeners, metrics, the watch on the folder, and an end in
// order. Dev/ does so for a development tenant. Options/ has what several commands share.

import ArgumentParser
import CGlibc
import Glibc
import Support

@main
struct MambridgeTenant: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mambridge-tenant",
    abstract: "A tenant over the network: app protection policies for mambridge from a service of your own.",
    discussion: """
      serve answers hosts and administrators over HTTPS. source is what mambridge starts for --tenant https://…; you need \
      not start it yourself.

      Every command that sends requests trusts the authorities of the system, or only those of --ca FILE or \
      SSL_CERT_FILE, and uses the proxy of --proxy or HTTPS_PROXY, except for the hosts of NO_PROXY and this machine.

      \(exitCodes)

      Examples:

        # A tenant to try things with, on this machine
        mambridge-tenant dev

        # Serve a tenant folder
        mambridge-tenant serve contoso --listen https://0.0.0.0:443 --certificate server.pem \\
          --private-key server.key --issuer https://login.contoso.example --audience api://mambridge

        # Look at the service from a host, sign in, and enroll
        mambridge-tenant check https://mam.contoso.example
        mambridge-tenant login https://mam.contoso.example
        mambridge --tenant https://mam.contoso.example call \\
          enrollmentManager.registerAndEnrollAccount account=alice@contoso.example
      """,
    version: "mambridge-tenant \(version)",
    subcommands: [
      ServeTenant.self, Publish.self, AcceptRemovals.self, PullTenant.self, RunSource.self, LogIn.self, LogOut.self,
      ListRegistrations.self,
      WipeDevice.self, HoldWipes.self, ShowAudit.self, ShowHistory.self, BackUpStore.self, CheckService.self,
      ServeDevelopment.self,
      PrintDevelopmentToken.self, Schema.self,
    ])

  /// Swift itself finds no arguments if it is linked statically, because of what CGlibc does before main.
  static func main() {
    cglibc_restore_environment()
    let words: [String]
    do {
      try ProcessText.checkVariables(variables)
      words = try ProcessText.arguments()
    } catch {
      printError("mambridge-tenant: \(error.description)")
      Glibc.exit(EX_USAGE)
    }
    main(words)
  }

  /// Their values must be UTF-8: they choose files, folders, servers and databases.
  private static let variables: [StaticString] = [
    "MAMBRIDGE_", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "HOME", "STATE_DIRECTORY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "PGHOST", "PGHOSTADDR", "PGPORT",
    "PGDATABASE", "PGUSER", "PGSERVICE", "PGSSLMODE", "PGPASSFILE",
  ]

  /// As in Sources/Program/mambridge/Mambridge.swift.
  static let version = "0.3.0"

  static let exitCodes = """
    Exit codes: 0 done, for a server also after SIGTERM or SIGINT; 1 the command failed, or check found something; 64 \
    invalid command line; 69 cannot listen or connect; 71 a limit of the system is too low; 74 cannot write the \
    output; 78 invalid configuration, or the program was built without network code.
    """

  /// Sets up the process, before other threads start: new files are private to the user, a crash leaves a trace and
  /// no core dump, and a broken pipe is a failed write.
  static func prepareProcess() {
    CrashTrace.begin(program: "mambridge-tenant", version: version)
    signal(SIGPIPE, SIG_IGN)
    signal(SIGCHLD, SIG_DFL)
    umask(0o077)
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
  }
}

/// Runs a command and ends with its exit code. Reports a failure as one line on stderr.
func reportingFailure(_ body: () throws -> Int32) throws -> Never {
  throw ExitCode(CommandFailure.exitCode(of: "mambridge-tenant", body))
}

/// Runs asynchronous work, and waits for it. Throws exit code 78 where /proc is missing: there, libdispatch counts its
/// threads after a second, and ends the process with a signal.
func waiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
  guard access("/proc/self/task", X_OK) == 0 else {
    throw CommandFailure.configuration(
      "/proc is not mounted here. Mount it: mount -t proc proc /proc. A container needs its own /proc, too.")
  }
  let outcome = Lock<Result<Value, any Error>?>(nil)
  let isDone = Semaphore()
  Task {
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    outcome.withLock { $0 = result }
    isDone.signal()
  }
  isDone.wait()
  guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
  return try result.get()
}

extension CommandFailure {
  static let noNetwork = configuration(
    "this program was built without network code. Build it with: swift build --traits TenantService --product "
      + "mambridge-tenant")
}
