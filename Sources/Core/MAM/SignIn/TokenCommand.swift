import Cryptography
import JSON
import Model
import Support
import Vault

/// A program that prints a token for the policy source (`--token-command`). No shell is used.
///
/// The program learns from its environment what the token is for: MAMBRIDGE_ACCOUNT (the user principal name or, if it
/// is unknown, the object id), MAMBRIDGE_ACCOUNT_ID, MAMBRIDGE_AUTHORITY, MAMBRIDGE_RESOURCE, MAMBRIDGE_SCOPES
/// (separated by spaces) and MAMBRIDGE_CLIENT_ID. A value that is unknown is empty. The program prints the token, or
/// `{"accessToken": "…", "expires": "2026-01-31T09:30:00Z"}`.
struct TokenCommand: Sendable {
  /// Tokens with many claims have a few kilobytes.
  private static let maximum = 1 << 16

  let words: [String]
  let patience: Duration

  /// Runs the program. Blocks until it ends, but not for longer than its patience or the call that needs it.
  func run(_ request: TokenRequest) -> TokenAnswer {
    let command = SecretCommand(
      words: words, maximum: Self.maximum, variables: Self.variables(request), patience: patience)
    do throws(SecretCommand.Failure) {
      return Self.read(try command.run())
    } catch {
      switch error {
      case .memory: return .refused("the output of the token command does not fit in memory")
      case .program(let what): return .refused("the token command \(what)")
      }
    }
  }

  private static func variables(_ request: TokenRequest) -> [String: String] {
    let variables: [String: String] = [
      "MAMBRIDGE_ACCOUNT": request.account.identity ?? request.account.accountId ?? "",
      "MAMBRIDGE_ACCOUNT_ID": request.account.accountId ?? "",
      "MAMBRIDGE_AUTHORITY": request.authorities.first ?? "",
      "MAMBRIDGE_RESOURCE": request.resource,
      "MAMBRIDGE_SCOPES": request.scopes.joined(separator: " "),
      "MAMBRIDGE_CLIENT_ID": request.clientId ?? "",
    ]
    return variables.mapValues { $0.filter { $0 != "\0" } }
  }

  static func read(_ output: SecretBytes) -> TokenAnswer {
    output.withUnsafeBytes { bytes -> TokenAnswer in
      let text = bytes.trimmed
      return text.first == UInt8(ascii: "{") ? readObject(text) : readToken(text)
    }
  }

  private static func readToken(_ text: UnsafeRawBufferPointer) -> TokenAnswer {
    guard !text.isEmpty else { return .refused("the token command printed nothing") }
    guard text.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return .refused("the token command printed something other than a token or a JSON object")
    }
    return HostSecret(copying: text).map { .token(EnrollmentToken(token: $0)) } ?? .refused(noMemory)
  }

  /// Other members, which many sign-in tools print too, are ignored.
  private static func readObject(_ text: UnsafeRawBufferPointer) -> TokenAnswer {
    do {
      let document = try JSONDocument(parsing: text)
      guard let member = document.root.member("accessToken"), !member.isNull else {
        return .refused("the JSON object of the token command has no accessToken")
      }
      let (token, expires) = (try SecretString.decode(member), try expiry(in: document))
      let secret = token.withBytes { HostSecret(copying: UnsafeRawBufferPointer($0)) }
      return secret.map { .token(EnrollmentToken(token: $0, expires: expires)) } ?? .refused(noMemory)
    } catch let error as JSONDecodingError {
      return .refused("the JSON object of the token command is invalid: \(error.discreetMessage)")
    } catch {
      return .refused("the token command printed invalid JSON")
    }
  }

  /// `nil` if the object does not say when the token expires.
  private static func expiry(in document: JSONDocument) throws(JSONDecodingError) -> Timestamp? {
    guard let member = document.root.member("expires"), !member.isNull else { return nil }
    do throws(JSONDecodingError) { return try Timestamp.decode(member) } catch { throw error.inside("expires") }
  }

  private static let noMemory = "there is no memory for the token"
}

extension UnsafeRawBufferPointer {
  /// The bytes without white space at both ends.
  fileprivate var trimmed: UnsafeRawBufferPointer {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let start = firstIndex(where: { !isSpace($0) }), let end = lastIndex(where: { !isSpace($0) }) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(rebasing: self[start...end])
  }
}
