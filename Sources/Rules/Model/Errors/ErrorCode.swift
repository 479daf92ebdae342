/// The errors that a call can end with, by their names on the wire.
///
/// A new error is a case here and a row in `row`. docs/errors.md is written from the rows.
package enum ErrorCode: CaseIterable, Hashable, Sendable {
  // Any request.
  case parseError, invalidRequest, methodNotFound, invalidParams, internalError, outOfMemory, notAuthenticated
  case shuttingDown, deadlineExceeded, limitExceeded, cancelled

  // Data protection and certificate pinning, as in the SDK.
  case applicationNotManaged, invalidArguments, failedToEncryptData, failedToDecryptData, dataNotProtected, emptyData
  case invalidChallenge, invalidCertificateChain, nilHost, failedTrustEvaluation, failedFormationEvaluation
  case errorAccessingCert, algNotSupported, matchNotFound

  // File protection at SDK level 21, as in the SDK.
  case fileApplicationNotManaged, fileInvalidArguments, failedToEncryptFile, failedToDecryptFile, fileNotFound
  case operationOnDirectory, unmanagedIdentity, fileInternalError

  // Policies and identities.
  case policyRequired, tooManyIdentities, strictViolation

  // Files.
  case fileUnavailable, fileDamaged, fileInUse, fileTruncated, noFileKey, noFileHandle, unsuitableFile
  case attributeNotKept, partlyDone, notAvailable

  // The state folder and its keys.
  case storeUnavailable, wrongSecret, noSecret, damaged, diskFull, newerSchema, wrongPermissions, stateInUse

  // Sign-in. A host answers with `interactionRequired` or `canceled`.
  case interactionRequired, canceled, tokenRefused

  // Challenges and PINs.
  case challenge, challengeNotOpen, wrongAnswer
  case pinNotRequired, pinNotSet, pinAlreadySet, wrongPIN, pinNotAllowed, pinRetriesExceeded

  // Tests.
  case manualClockNeeded, debugSettingsNeeded, networkFailed
}

extension ErrorCode {
  /// An NSError domain of the SDK. The raw value is added to its codes to make the codes on the wire.
  private enum Domain: Int {
    case dataProtection = 1000
    case fileProtection = 1100
    case certificatePinning = 2000

    var name: String {
      switch self {
      case .dataProtection: "IntuneMAMDataProtectionErrorDomain"
      case .fileProtection: "IntuneMAMFileProtectionErrorDomain"
      case .certificatePinning: "IntuneMAMCertificatePinningErrorDomain"
      }
    }
  }

  /// The facts about an error.
  private struct Row {
    let number: Int
    let domain: Domain?
    let isRetryable: Bool
    let meaning: String
    let remedy: String

    init(
      _ number: Int, in domain: Domain? = nil, retryable: Bool = false, _ meaning: String, remedy: String
    ) {
      self.number = number
      self.domain = domain
      isRetryable = retryable
      self.meaning = meaning
      self.remedy = remedy
    }
  }

  /// The stable name in `data.name`.
  package var name: String { String(describing: self) }
  /// The `code` on the wire.
  package var number: Int { row.number }
  /// Whether the same call may succeed later without a change by the caller. `MAMError.isRetryable` also considers the
  /// system's error.
  package var isRetryable: Bool { row.isRetryable }
  /// What the error means, for the schema.
  package var meaning: String { row.meaning }
  /// What to do about the error.
  package var remedy: String { row.remedy }

  /// The domain and code of the SDK's NSError; `nil` if the SDK does not have this error.
  package var sdkError: (domain: String, code: Int)? {
    let row = row
    return row.domain.map { ($0.name, row.number - $0.rawValue) }
  }

  /// The table of all errors.
  private var row: Row {
    switch self {
    // Any request.
    case .parseError:
      Row(
        -32700, "The message is not valid JSON in UTF-8, or its framing is broken.",
        remedy: "Send one JSON value per line, or with a Content-Length header.")
    case .invalidRequest:
      Row(
        -32600, "The message is JSON but not a valid request, or the request is not allowed at this point.",
        remedy: "Send an object with jsonrpc, id and method. Send initialize once, outside of a batch.")
    case .methodNotFound:
      Row(
        -32601, "There is no method with this name; data.hint may suggest a similar name.",
        remedy: "Use the name in data.hint, or a name that rpc.discover lists.")
    case .invalidParams:
      Row(
        -32602, "A parameter is unknown, missing or of the wrong type; data.path says which.",
        remedy: "Correct the parameter at data.path.")
    case .internalError:
      Row(
        -32603,
        "The server has a bug; the diagnostics log has details. Named outOfMemory if the system is out of memory.",
        remedy: "Report the bug, with the output of diagnosticsLog.export.")
    case .outOfMemory:
      Row(
        -32603, retryable: true, "The system does not have enough memory for this request.",
        remedy: "Send or request less data at a time, or call again.")
    case .notAuthenticated:
      Row(
        -32001, "The connection must authenticate first.",
        remedy: "Call authenticate with the token in the file that the server names on stderr.")
    case .shuttingDown:
      Row(
        -32002, retryable: true, "The server is shutting down and accepts no new requests.",
        remedy: "Start the server again and repeat the call.")
    case .deadlineExceeded:
      Row(
        -32003, retryable: true, "The request did not finish before its deadline.",
        remedy: "Call again; if the error persists, set a longer timeoutMilliseconds.")
    case .limitExceeded:
      Row(
        -32004, "A limit was exceeded; data.limit names the limit, and data.value is its value.",
        remedy: "Send large content in parts, with file.write, or start the server with a higher --limit.")
    case .cancelled:
      Row(
        -32800, "The request was cancelled; nothing was changed.", remedy: "Call again if the result is still needed.")

    // Data protection.
    case .applicationNotManaged:
      Row(
        1100, in: .dataProtection, "No account is managed, so there is no key to protect data with.",
        remedy: "Enroll an account that has a policy.")
    case .invalidArguments:
      Row(
        1101, in: .dataProtection, "The data or the account is null.",
        remedy: "Pass every argument that the message names.")
    case .failedToEncryptData:
      Row(
        1102, in: .dataProtection, "Encryption failed.",
        remedy: "Enroll the account if it is not managed; otherwise call again.")
    case .failedToDecryptData:
      Row(
        1103, in: .dataProtection, "The data was changed or truncated, or this app has no key for the owner's account.",
        remedy: "Enroll the owner in this app, or get the data from its source again.")
    case .dataNotProtected:
      Row(
        1104, in: .dataProtection, "The file is not encrypted and has no owner, so there is nothing to decrypt.",
        remedy: "Use the file as it is.")
    case .emptyData:
      Row(1105, in: .dataProtection, "The data or the string is empty.", remedy: "Do not call with empty data.")

    // Certificate pinning.
    case .invalidChallenge:
      Row(
        2100, in: .certificatePinning, "The challenge is null.", remedy: "Pass the challenge as {host, certificates}.")
    case .invalidCertificateChain:
      Row(
        2101, in: .certificatePinning, "The list of certificates is null or empty.",
        remedy: "Pass the certificates that the server sent, starting with the server's own.")
    case .nilHost:
      Row(
        2102, in: .certificatePinning, "The host is null, empty, or neither a name nor an address.",
        remedy: "Pass the host of the URL that was opened, without scheme and port.")
    case .failedTrustEvaluation:
      Row(
        2103, in: .certificatePinning,
        "The chain leads to no trusted authority, or the time, host name, purpose or strength is wrong.",
        remedy: "Do not trust the connection; check the server's certificate and the clock.")
    case .failedFormationEvaluation:
      Row(
        2104, in: .certificatePinning,
        "A signature in the chain is invalid, or the certificates are in the wrong order.",
        remedy: "Configure the server to send each certificate before the certificate of its issuer.")
    case .errorAccessingCert:
      Row(
        2105, in: .certificatePinning, "A certificate is not an X.509 certificate in DER.",
        remedy: "Pass each certificate as X.509 in DER, encoded in base64.")
    case .algNotSupported:
      Row(
        2106, in: .certificatePinning, "A certificate has a key or a signature with an unsupported algorithm.",
        remedy: "Use RSA, ECDSA or Ed25519 for the server.")
    case .matchNotFound:
      Row(
        2107, in: .certificatePinning, "No key in the chain is pinned for the host.",
        remedy: "Do not trust the connection. An administrator can change the pins in certificatePins in tenant.json.")

    // File protection at SDK level 21.
    case .fileApplicationNotManaged:
      Row(
        1200, in: .fileProtection, "No account is managed, so there is no key to protect the file with.",
        remedy: "Enroll an account that has a policy.")
    case .fileInvalidArguments:
      Row(
        1201, in: .fileProtection, "The account is null, or its name is too long for a file.",
        remedy: "Pass every argument that the message names.")
    case .failedToEncryptFile:
      Row(
        1202, in: .fileProtection, "The file could not be encrypted.",
        remedy: "Follow data.hint, and call again.")
    case .failedToDecryptFile:
      Row(
        1203, in: .fileProtection,
        "The file is damaged or truncated, this app has no key for it, or it is not encrypted; data.cause says which.",
        remedy: "Enroll the owner in this app, or restore a good copy of the file.")
    case .fileNotFound:
      Row(1204, in: .fileProtection, "There is no file at the path.", remedy: "Use the path of an existing file.")
    case .operationOnDirectory:
      Row(1205, in: .fileProtection, "The path leads to a folder.", remedy: "Use the path of a file.")
    case .unmanagedIdentity:
      Row(
        1206, in: .fileProtection, "The account has no policy, so files cannot be encrypted for it.",
        remedy: "Enroll the account first.")
    case .fileInternalError:
      Row(
        1207, in: .fileProtection, "The file could not be changed for another reason, which data.cause names.",
        remedy: "Do what this table says about the error in data.cause.")

    // Policies and identities.
    case .policyRequired:
      Row(
        4001, "MAMPolicyRequired is set, and no account has a policy yet.",
        remedy: "Enroll an account that has a policy.")
    case .tooManyIdentities:
      Row(
        4002, "Too many threads, windows or web views have names, or a name is longer than 4 KiB.",
        remedy:
          "For threads and windows that are gone, set the identity to null; for web views, set the policy to unset.")

    case .strictViolation:
      Row(
        4003, "Strict mode found a mistake in the call; the message names the check.",
        remedy: "Correct the host, or switch the check off with strictMode.disable.")

    // Files.
    case .fileUnavailable:
      Row(
        5001, "The system refused an operation on the file; data.errno says why.",
        remedy: "Fix the cause in data.errno, such as missing permissions, or use another path.")
    case .fileDamaged:
      Row(
        5002, "The encrypted file was changed; data.page and data.range say which part of the plain text is lost.",
        remedy: "Restore a good copy of the file, or recover the rest with mambridge files export.")
    case .fileInUse:
      Row(
        5003, retryable: true, "The file is in use by another handle, call or process.",
        remedy: "Close the other handles and call again.")
    case .fileTruncated:
      Row(
        5004, "The encrypted file was truncated; data.range says which part of the plain text is lost.",
        remedy: "Restore a good copy of the file, or open the file with the flag truncate to start over.")
    case .noFileKey:
      Row(
        5005, "This app has no key for the encrypted file, or the file's owner is not managed in this app.",
        remedy: "Enroll the owner of the file in this app.")
    case .noFileHandle:
      Row(
        5006, "The connection has no handle with this id, or has closed it.",
        remedy: "Use a handle that file.open or file.create returned on this connection.")
    case .unsuitableFile:
      Row(
        5007,
        """
        The file is a folder, link, pipe, socket or device, has several names (hard links), or is in mambridge's state \
        folder.
        """, remedy: "Use a regular file with one name, outside of the state folder.")
    case .attributeNotKept:
      Row(
        5008, "The file would lose its owner, mode, times or another attribute, so it was not changed.",
        remedy: "Remove the attribute, or run mambridge as a user who may set it.")
    case .partlyDone:
      Row(
        5009,
        """
        Some files of a folder failed, or the call was stopped; data.failures has path, code, name and message, for at \
        most 100 files.
        """, remedy: "Fix the causes in data.failures and call again.")
    case .notAvailable:
      Row(
        5010, "The feature is not available in this version; data.hint says why.",
        remedy: "Use what data.hint names instead.")

    // The state folder and its keys.
    case .storeUnavailable:
      Row(
        6001, retryable: true, "The state folder cannot be read or written; data.path names it.",
        remedy: "Make the state folder writable, or choose another one with --state.")
    case .wrongSecret:
      Row(
        6002, "The root secret does not open the key store.",
        remedy: "Use the right passphrase, or restore the right key file.")
    case .noSecret:
      Row(
        6003, "The root secret is missing, or cannot be obtained.",
        remedy: "Use the secret that the key store was created with.")
    case .damaged:
      Row(
        6004, "A file of the state folder is damaged; data.path names it.",
        remedy: "Restore a good copy of the file, or follow data.hint.")
    case .diskFull:
      Row(6005, retryable: true, "The disk is full; nothing was changed.", remedy: "Free some space and call again.")
    case .newerSchema:
      Row(
        6006, "The state was written by a newer version; nothing was changed.",
        remedy: "Use the newer mambridge, or another state folder with --state.")
    case .wrongPermissions:
      Row(
        6007,
        "Other users can read a key file or change the state; data.hint has the command that fixes the permissions.",
        remedy: "Make sure that nobody has changed the file, then run the command in data.hint.")
    case .stateInUse:
      Row(
        6008, retryable: true,
        "Another process holds the lock on the keys, on check-ins or on a wipe.",
        remedy: "Call again; if the error persists, end the process that holds the lock.")

    // Sign-in.
    case .interactionRequired:
      Row(
        7001, "A token is needed, and only the user can provide it.",
        remedy: "If a host answers with this error, mambridge asks it again with silent false.")
    case .canceled: Row(7002, "The user canceled.", remedy: "Continue without what the user was asked for.")
    case .tokenRefused:
      Row(
        7003, "The token does not prove that the user has signed in.",
        remedy: "Give the token of the user's latest sign-in.")

    // Challenges and PINs.
    case .challenge:
      Row(
        8001, "The host must ask the user first; data.challenge says what to ask.",
        remedy: "Ask the user, pass the answer to conditionalLaunch.answer, and repeat the call.")
    case .challengeNotOpen:
      Row(
        8002, "No challenge with this id is open: it is unknown, was answered, or has expired.",
        remedy: "Repeat the call that ended with the challenge; it continues, or returns a new challenge.")
    case .wrongAnswer:
      Row(
        8003, "The challenge asks for another kind of answer.",
        remedy: "Give exactly one of the answers that data.hint names.")
    case .pinNotRequired:
      Row(
        8010, "The account's policy requires no PIN, or the device's own PIN replaces it.",
        remedy: "Call policy.isPINRequired first.")
    case .pinNotSet:
      Row(8011, "The user has no PIN yet.", remedy: "Let the user choose a PIN, and call pin.set.")
    case .pinAlreadySet:
      Row(
        8012, "The user already has a PIN.",
        remedy: "Call pin.change, or pin.reset if the user has forgotten the PIN.")
    case .wrongPIN:
      Row(
        8013, "The PIN is wrong; data.hint says how many tries are left.",
        remedy: "Let the user try again.")
    case .pinNotAllowed:
      Row(
        8014,
        """
        The policy does not allow this PIN; data.messageKey names the rule, data.userMessage is the text for the user.
        """, remedy: "Show data.userMessage, and let the user choose another PIN.")
    case .pinRetriesExceeded:
      Row(
        8015,
        "Too many wrong PINs were entered. The policy requires the user to sign in, or the account's data was wiped.",
        remedy: "Let the user sign in and call pin.reset, or enroll the account again after a wipe.")

    // Tests.
    case .manualClockNeeded:
      Row(
        9001, "The server uses the system clock, which cannot be moved.",
        remedy: "Start the server with --clock manual.")
    case .debugSettingsNeeded:
      Row(
        9002, "Test policies need the setting DebugSettingsEnabled.",
        remedy: "Start the server with --set DebugSettingsEnabled=true, but not in a released app.")
    case .networkFailed:
      Row(
        9003, "The network of the sandbox cannot be started, or has refused the request.",
        remedy: "Do what the message says: install mambridge-tenant, or correct the request.")
    }
  }
}
