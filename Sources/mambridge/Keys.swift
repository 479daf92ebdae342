import ArgumentParser
import Glibc
import JSON
import MAM
import Model
import Vault

struct Keys: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Look after the keys of a state folder.",
    discussion: """
      Every key of an account lies in a file of its own, sealed under the store key (keys/store.key), which is sealed \
      under the root secret: a key file, a passphrase, or what a command writes. The secret of a new store is the one \
      that the first start is given.
      """,
    subcommands: [KeysInfo.self, ChangeSecret.self, RotateKeys.self])
}

struct KeysInfo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Print which store this is and what its keys hang on, as JSON; null where no keys have been made yet.",
    discussion: "Needs no secret and shows none.")

  @OptionGroup var core: CoreOptions

  func run() throws {
    throw ExitCode(
      reportingFailure {
        let folder = try core.arguments.stateFolder()
        let header = try coreResult { () throws(MAMError) in try KeyStore.header(in: folder) }
        try printResult((header.map(Self.text) ?? .null).jsonText + "\n")
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
    abstract: "Hang the keys of a state folder on another root secret.",
    discussion: """
      Only keys/store.key is written anew, at once: killed at any point, the old secret opens the store or the new one \
      does. Processes that run and have used a key go on; whatever starts from now on needs the new secret.

        mambridge keys change-secret --new-passphrase-fd 3 3<passphrase
        printf '%s\\n' "$old" "$new" | mambridge keys change-secret --passphrase-fd 0 --new-passphrase-fd 0
        mambridge keys change-secret --passphrase-fd 3 3<passphrase      # back to a new keys/root.key

      The former key file is destroyed where it lies in the state folder; one that lies elsewhere is kept. Copies of \
      the state folder that were made before still open with the former secret.
      """)

  @OptionGroup(title: "New secret") var new: NewSecretOptions
  @OptionGroup var core: CoreOptions

  func run() throws {
    Mambridge.prepareProcess()
    throw ExitCode(
      reportingFailure {
        // The old secret is read first.
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
    abstract: "Give an account new keys for what is protected from now on.",
    discussion: """
      What was protected before stays readable under the keys that it has. Every app on this device in which the \
      account is enrolled gets the event dataProtectionManager.didChange, upon which it protects its data anew; \
      processes that run use the new keys at their next call. Prints the account.
      """)

  @Option(help: "The account: its object id or its user principal name.")
  var account: String

  @OptionGroup var core: CoreOptions

  func run() throws {
    Mambridge.prepareProcess()
    throw ExitCode(
      reportingFailure {
        let rotated = try rotate()
        try printResult(rotated.jsonText + "\n")
        return EXIT_SUCCESS
      })
  }

  private func rotate() throws -> Account {
    let core = try core.arguments.makeCore()
    defer { core.end() }
    return try coreResult { () throws(MAMError) in try core.protection.rotateKeys(of: AccountReference(account)) }
  }
}
