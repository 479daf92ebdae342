import Cryptography
import Model

/// A program whose output is the root secret.
struct KeyCommand: Sendable {
  static let minimum = 32
  private static let maximum = 4096

  let words: [String]

  /// Throws 6003 if the program does not produce a secret.
  func run() throws(MAMError) -> SecretBytes {
    let secret: SecretBytes
    do throws(SecretCommand.Failure) {
      secret = try SecretCommand(words: words, maximum: Self.maximum).run()
    } catch {
      switch error {
      case .memory(let error): throw .cannotMakeKey(error)
      case .program(let what): throw failure(what)
      }
    }
    // Check the length last: a failed program explains a short secret.
    guard secret.count >= Self.minimum else { throw failure("wrote fewer than \(Self.minimum) bytes") }
    return secret
  }

  private func failure(_ what: String) -> MAMError {
    MAMError(
      .noSecret, "the key command \(what)",
      hint: "Run the command yourself: it must write at least \(Self.minimum) bytes and exit with status 0",
      path: words.first)
  }
}
