import ArgumentParser
import MAM
import Model
import Vault

/// Where the root secret comes from, as the command line says it. A secret itself never stands there: every user of the
/// machine can read the arguments of a process.
struct SecretArguments {
  var keyFile: String?
  var passphraseDescriptor: Int32?
  var keyCommand: String?
  var allowsWeakPassphrase = false

  /// Reads the passphrase, where it is one.
  func source() throws -> RootSecretSource {
    do throws(MAMError) {
      if let keyFile { return .keyFile(at: keyFile.absolutePath) }
      if let passphraseDescriptor {
        var source = try RootSecretSource.passphrase(firstLineOf: passphraseDescriptor)
        source.allowsWeakPassphrase = allowsWeakPassphrase
        return source
      }
      if let keyCommand { return .command(CommandWords(keyCommand)?.words ?? []) }
      return .keyFile
    } catch {
      throw CommandFailure(exitCode: 78, message: error.description)
    }
  }

  /// What is wrong with them; nil when nothing is.
  var fault: String? {
    let given = [keyFile != nil, passphraseDescriptor != nil, keyCommand != nil].count { $0 }
    if given > 1 { return "Only one of a key file, a passphrase and a key command can be the root secret." }
    if let keyCommand, CommandWords(keyCommand) == nil {
      return "The key command has no words, or a quote that is not closed."
    }
    if let passphraseDescriptor, passphraseDescriptor < 0 { return "A descriptor is 0 or more." }
    return nil
  }
}

/// The options for the secret that the keys hang on.
struct SecretOptions: ParsableArguments {
  @Option(
    name: .customLong("key-file"),
    help: """
      The file of the root secret: 32 bytes, mode 0600; made when there are no keys yet (default: keys/root.key in the \
      state folder).
      """, completion: .file())
  var keyFile: String?

  @Option(
    name: .customLong("passphrase-fd"),
    help: ArgumentHelp(
      """
      The root secret is a passphrase: the first line that this file descriptor gives. From 0 the requests follow \
      behind it.
      """, valueName: "number"))
  var passphraseDescriptor: Int32?

  @Option(
    name: .customLong("key-command"),
    help: ArgumentHelp(
      """
      The root secret is what this program writes, 32 bytes or more. Words are separated by spaces, quotes keep them \
      together; no shell reads them.
      """, valueName: "command"))
  var keyCommand: String?

  @Flag(
    name: .customLong("weak-passphrase"),
    help: "Allow a new passphrase of less than 8 characters. A passphrase that opens a store is never too short.")
  var allowsWeakPassphrase = false

  var arguments: SecretArguments {
    SecretArguments(
      keyFile: keyFile, passphraseDescriptor: passphraseDescriptor, keyCommand: keyCommand,
      allowsWeakPassphrase: allowsWeakPassphrase)
  }

  func validate() throws {
    if let fault = arguments.fault { throw ValidationError(fault) }
  }
}

/// The options for the secret that takes its place.
struct NewSecretOptions: ParsableArguments {
  @Option(
    name: .customLong("new-key-file"),
    help: """
      Another key file; made when it is not there (default: keys/root.key in the state folder, made anew).
      """, completion: .file())
  var keyFile: String?

  @Option(
    name: .customLong("new-passphrase-fd"),
    help: ArgumentHelp(
      "A passphrase: the first line that this descriptor gives, the second where --passphrase-fd is the same.",
      valueName: "number"))
  var passphraseDescriptor: Int32?

  @Option(
    name: .customLong("new-key-command"),
    help: ArgumentHelp("What this program writes, as with --key-command.", valueName: "command"))
  var keyCommand: String?

  var arguments: SecretArguments {
    SecretArguments(keyFile: keyFile, passphraseDescriptor: passphraseDescriptor, keyCommand: keyCommand)
  }

  func validate() throws {
    if let fault = arguments.fault { throw ValidationError(fault) }
  }
}
