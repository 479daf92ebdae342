import ArgumentParser
import MAM
import Model
import Support
import Vault

/// The source of the root secret. The secret itself is never on the command line: every user of the machine can see the
/// arguments of a process.
struct SecretArguments {
  var keyFile: String?
  var passphraseDescriptor: Int32?
  var keyCommand: String?
  var allowsWeakPassphrase = false

  /// Reads the passphrase, if the secret is one.
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

  /// Lets a copy of the state use the key file of the original, which is only read. Without keys, the copy creates a
  /// key file of its own.
  mutating func share(_ original: StateFolder) {
    guard original.hasKeys else { return keyFile = nil }
    guard passphraseDescriptor == nil, keyCommand == nil else { return }
    keyFile = keyFile ?? original.keyFile
  }

  /// Whether the arguments name a source.
  var isGiven: Bool {
    keyFile != nil || passphraseDescriptor != nil || keyCommand != nil || allowsWeakPassphrase
  }

  /// What is wrong with the arguments; `nil` if nothing is.
  var fault: String? {
    let given = [keyFile != nil, passphraseDescriptor != nil, keyCommand != nil].count { $0 }
    if given > 1 { return "Give only one root secret: a key file, a passphrase or a key command." }
    if let keyCommand, CommandWords(keyCommand) == nil {
      return "The key command names no program, or has a quote that is not closed."
    }
    if let passphraseDescriptor, passphraseDescriptor < 0 { return "A file descriptor must be 0 or more." }
    return nil
  }
}

/// The options for the root secret that replaces the current one.
struct NewSecretOptions: ParsableArguments {
  @Option(
    name: .customLong("new-key-file"),
    help: """
      Use this key file, which is created if it is missing (default: keys/root.key in the state folder, created anew).
      """, completion: .file())
  var keyFile: String?

  @Option(
    name: .customLong("new-passphrase-fd"),
    help: ArgumentHelp(
      "Use a passphrase: the first line from this file descriptor, or the second if --passphrase-fd is the same.",
      valueName: "number"))
  var passphraseDescriptor: Int32?

  @Option(
    name: .customLong("new-key-command"),
    help: ArgumentHelp("Use the output of this program, as with --key-command.", valueName: "command"))
  var keyCommand: String?

  var arguments: SecretArguments {
    SecretArguments(keyFile: keyFile, passphraseDescriptor: passphraseDescriptor, keyCommand: keyCommand)
  }

  func validate() throws {
    if let fault = arguments.fault { throw ValidationError(fault) }
  }
}
