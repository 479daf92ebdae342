import ArgumentParser
import Glibc
import JSON
import MAM
import Model
import Vault

struct Keys: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Manage the keys of a state folder.",
    discussion: """
      Each key of an account is in a file of its own, sealed under the store key (keys/store.key). The store key is \
      sealed under the root secret: a key file, a passphrase, or the output of a command. The first start \
      creates the store with the root secret that you pass.
      """,
    subcommands: [KeysInfo.self, ChangeSecret.self, RotateKeys.self])
}

struct KeysInfo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Print the id of the store and the kind of its root secret as JSON, or null if there are no keys yet.",
    discussion: """
      Needs no secret and shows none.

      Examples:

        # Does a passphrase protect the keys?
        mambridge keys info | jq -r .secret
      """)

  @OptionGroup var output: OutputOptions
  @OptionGroup var core: CoreOptions

  func run() throws {
    throw ExitCode(
      reportingFailure {
        let folder = try core.arguments.stateFolder()
        let header = try coreResult { () throws(MAMError) in try KeyStore.header(in: folder) }
        try output.print(header.map(Self.text) ?? .null)
        return EXIT_SUCCESS
      })
  }

  private static func text(_ header: StoreKeyHeader) -> JSONValue {
    ["store": .string(header.storeID), "secret": .string(String(describing: header.mode))]
  }
}

struct ChangeSecret: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change-secret",
    abstract: "Change the root secret of a state folder.",
    discussion: """
      Rewrites only keys/store.key, atomically: if the command is killed, either the old secret or the new one opens \
      the store. Running processes that have already used a key go on; every process started from now on needs the new \
      secret.

      The old key file is destroyed if it is in the state folder, and kept if it is elsewhere. Copies of the state \
      folder made before the change still open with the old secret.

      Examples:

        # From the key file to a passphrase
        mambridge keys change-secret --new-passphrase-fd 3 3<passphrase

        # From one passphrase to another
        printf '%s\\n' "$old" "$new" | mambridge keys change-secret \\
          --passphrase-fd 0 --new-passphrase-fd 0

        # Back to a key file
        mambridge keys change-secret --passphrase-fd 3 3<passphrase
      """)

  @OptionGroup(title: "New secret") var new: NewSecretOptions
  @OptionGroup var core: CoreOptions

  func run() throws {
    Mambridge.prepareProcess()
    throw ExitCode(
      reportingFailure {
        // Read the old secret first: both secrets may come from the same descriptor.
        let core = try core.arguments.makeCore()
        defer { core.end() }
        var source = try new.arguments.source()
        source.allowsWeakPassphrase = self.core.secret.allowsWeakPassphrase
        try coreResult { () throws(MAMError) in try core.protection.changeRootSecret(to: source) }
        return EXIT_SUCCESS
      })
  }
}

struct RotateKeys: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Give an account new keys for data that is protected from now on.",
    discussion: """
      Data protected before stays readable under its old keys. Every app on this device in which the account is \
      enrolled gets the event dataProtectionManager.didChange, so that it can protect its data again. Running processes \
      use the new keys from their next call on. Prints the account.

      Examples:

        # New keys for one account
        mambridge keys rotate --account alice@contoso.example
      """)

  @Option(help: "The account: an object id or a user principal name.")
  var account: String

  @OptionGroup var output: OutputOptions
  @OptionGroup var core: CoreOptions

  func run() throws {
    Mambridge.prepareProcess()
    throw ExitCode(
      reportingFailure {
        try output.print(rotate().jsonValue)
        return EXIT_SUCCESS
      })
  }

  private func rotate() throws -> Account {
    let core = try core.arguments.makeCore()
    defer { core.end() }
    return try coreResult { () throws(MAMError) in try core.protection.rotateKeys(of: AccountReference(account)) }
  }
}
