/// Every error that a call can end with, by its name on the wire.
///
/// A new one is a case here, and its row in `row`; docs/errors.md is written from them.
public enum ErrorCode: CaseIterable, Hashable, Sendable {
  // Of any request.
  case parseError, invalidRequest, methodNotFound, invalidParams, internalError, outOfMemory, notAuthenticated
  case shuttingDown, deadlineExceeded, limitExceeded, cancelled

  // Data protection and certificate pinning, as the SDK has them.
  case applicationNotManaged, invalidArguments, failedToEncryptData, failedToDecryptData, dataNotProtected, emptyData
  case invalidChallenge, invalidCertificateChain, nilHost, failedTrustEvaluation, failedFormationEvaluation
  case errorAccessingCert, algNotSupported, matchNotFound

  // Policies and identities.
  case policyRequired, tooManyIdentities

  // Files.
  case fileUnavailable, fileDamaged, fileInUse, fileTruncated, noFileKey, noFileHandle, unsuitableFile
  case attributeNotKept, partlyDone

  // The state folder and its keys.
  case storeUnavailable, wrongSecret, noSecret, damaged, diskFull, newerSchema, wrongPermissions, stateInUse

  // Sign-in; `interactionRequired` and `canceled` are answers of a host.
  case interactionRequired, canceled, tokenRefused

  // Challenges and PINs.
  case challenge, challengeNotOpen, wrongAnswer
  case pinNotRequired, pinNotSet, pinAlreadySet, wrongPIN, pinNotAllowed, pinRetriesExceeded

  // Tests.
  case manualClockNeeded, debugSettingsNeeded
}

extension ErrorCode {
  /// An NSError domain of the SDK, with what the wire adds to its codes.
  private enum Domain: Int {
    case dataProtection = 1000
    case certificatePinning = 2000

    var name: String {
      switch self {
      case .dataProtection: "IntuneMAMDataProtectionErrorDomain"
      case .certificatePinning: "IntuneMAMCertificatePinningErrorDomain"
      }
    }
  }

  /// What is known of an error.
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

  /// The stable symbol in `data.name`.
  public var name: String { String(describing: self) }
  /// The `code` on the wire.
  public var number: Int { row.number }
  /// Whether the same call may succeed later without a change by the caller. An error that says more knows better.
  package var isRetryable: Bool { row.isRetryable }
  /// One sentence, for the schema.
  package var meaning: String { row.meaning }
  /// What to do about it: one sentence.
  package var remedy: String { row.remedy }

  /// The NSError of the SDK that it stands for; nil for an error that the SDK does not have.
  package var sdkError: (domain: String, code: Int)? {
    let row = row
    return row.domain.map { ($0.name, row.number - $0.rawValue) }
  }

  /// The table of all errors.
  private var row: Row {
    switch self {
    // Of any request.
    case .parseError:
      Row(
        -32700, "The message is not JSON in UTF-8, or its frame is damaged.",
        remedy: "Send one JSON value per line, or with a Content-Length header.")
    case .invalidRequest:
      Row(
        -32600, "The message is JSON, but no request, or one that may not come here.",
        remedy: "Send an object with jsonrpc, id and method, and initialize once, outside of a batch.")
    case .methodNotFound:
      Row(
        -32601, "There is no method of this name; data.hint says which there is.",
        remedy: "Use the name in data.hint, or one that rpc.discover lists.")
    case .invalidParams:
      Row(
        -32602, "A parameter is unknown, missing or of the wrong type; data.path says which.",
        remedy: "Correct the parameter at data.path.")
    case .internalError:
      Row(
        -32603,
        "A fault of the server; the diagnostics log says more. Named outOfMemory if the system is out of memory.",
        remedy: "Report it, with the output of diagnosticsLog.export.")
    case .outOfMemory:
      Row(
        -32603, retryable: true, "The system is out of memory for this request.",
        remedy: "Send or ask for less at a time, or call again.")
    case .notAuthenticated:
      Row(
        -32001, "The connection must authenticate first.",
        remedy: "Call authenticate with the token in the file that the server names on stderr.")
    case .shuttingDown:
      Row(
        -32002, retryable: true, "The server ends and does not begin anything new.",
        remedy: "Start the server again, and repeat the call.")
    case .deadlineExceeded:
      Row(
        -32003, retryable: true, "The request was not done in the time it was given.",
        remedy: "Call again, with a longer timeoutMilliseconds if this goes on.")
    case .limitExceeded:
      Row(
        -32004, "A limit was passed; data.limit names it, data.value is what it allows.",
        remedy: "Send less, or start the server with a higher --limit.")
    case .cancelled:
      Row(-32800, "The request was cancelled; nothing happened.", remedy: "Call again if the result is still needed.")

    // Data protection.
    case .applicationNotManaged:
      Row(
        1100, in: .dataProtection, "No account is managed, so there is nothing to protect with.",
        remedy: "Enroll an account that has a policy.")
    case .invalidArguments:
      Row(
        1101, in: .dataProtection, "The data or the account is null.",
        remedy: "Give every argument that the message names.")
    case .failedToEncryptData:
      Row(
        1102, in: .dataProtection, "Encryption failed.",
        remedy: "Enroll the account if it is not managed, else call again.")
    case .failedToDecryptData:
      Row(
        1103, in: .dataProtection, "The data was changed or cut, or this app has no key of its account.",
        remedy: "Enroll the owner in this app, or take the data again from where it came.")
    case .dataNotProtected:
      Row(
        1104, in: .dataProtection, "The file is neither encrypted nor owned, so there is nothing to decrypt.",
        remedy: "Use the file as it is.")
    case .emptyData:
      Row(1105, in: .dataProtection, "The data or the string is empty.", remedy: "Leave out empty data.")

    // Certificate pinning.
    case .invalidChallenge:
      Row(
        2100, in: .certificatePinning, "The challenge is null.", remedy: "Give the challenge as {host, certificates}.")
    case .invalidCertificateChain:
      Row(
        2101, in: .certificatePinning, "The certificates are null or none.",
        remedy: "Give the certificates that the server sent, its own first.")
    case .nilHost:
      Row(
        2102, in: .certificatePinning, "The host is null, empty, or neither a name nor an address.",
        remedy: "Give the host of the address that was opened, without scheme and port.")
    case .failedTrustEvaluation:
      Row(
        2103, in: .certificatePinning,
        "The chain leads to no trusted authority, or time, host name, purpose or strength are wrong.",
        remedy: "Do not trust the connection; check the certificate of the server and the clock.")
    case .failedFormationEvaluation:
      Row(
        2104, in: .certificatePinning, "A signature of the chain is wrong, or its order.",
        remedy: "Configure the server to send each certificate before the certificate of its issuer.")
    case .errorAccessingCert:
      Row(
        2105, in: .certificatePinning, "A certificate is not X.509 in DER.",
        remedy: "Give each certificate as X.509 in DER, in base64.")
    case .algNotSupported:
      Row(
        2106, in: .certificatePinning, "A certificate has a key or a signature of an unknown algorithm.",
        remedy: "Use RSA, ECDSA or Ed25519 for the server.")
    case .matchNotFound:
      Row(
        2107, in: .certificatePinning, "No key of the chain is pinned for the host.",
        remedy: "Do not trust the connection; an administrator changes pins with certificatePins in tenant.json.")

    // Policies and identities.
    case .policyRequired:
      Row(
        4001, "MAMPolicyRequired is set and no policy is there yet: enroll first.",
        remedy: "Enroll an account that has a policy.")
    case .tooManyIdentities:
      Row(
        4002, "Too many threads, windows or web views have been named, or one by more than 4 KiB.",
        remedy: "Set the identity of threads and windows that are gone to null, the policy of web views to unset.")

    // Files.
    case .fileUnavailable:
      Row(
        5001, "The system refuses what was to be done with the file; data.errno says why.",
        remedy: "Remove the cause in data.errno, such as missing permissions, or give another path.")
    case .fileDamaged:
      Row(
        5002, "An encrypted file was changed; data.page and data.range say which part of the plain text is lost.",
        remedy: "Put a good copy of the file back, or recover the rest with mambridge files export.")
    case .fileInUse:
      Row(5003, retryable: true, "Others are using the file.", remedy: "Close the other handles and call again.")
    case .fileTruncated:
      Row(
        5004, "An encrypted file was cut off; data.range says which part of the plain text is lost.",
        remedy: "Put a good copy of the file back, or open it with the flag truncate to begin anew.")
    case .noFileKey:
      Row(
        5005, "This app has no key for the encrypted file, or is not managed for its owner.",
        remedy: "Enroll the owner of the file in this app.")
    case .noFileHandle:
      Row(
        5006, "The connection has no such handle, or has closed it.",
        remedy: "Use a handle that file.open or file.create gave on this connection.")
    case .unsuitableFile:
      Row(
        5007,
        """
        A folder where a file is wanted, a link, a file with several names, a pipe, socket or device, or mambridge's own.
        """, remedy: "Give a regular file with one name, outside of the state folder.")
    case .attributeNotKept:
      Row(
        5008, "The file would lose its owner, mode, times or another attribute; it is left alone.",
        remedy: "Remove the attribute, or call as a user who may set it.")
    case .partlyDone:
      Row(
        5009,
        """
        Of a folder some files failed, or it was stopped; data.failures has path, code, name and message of 100 at most.
        """, remedy: "Remove the causes in data.failures and call again.")

    // The state folder and its keys.
    case .storeUnavailable:
      Row(
        6001, retryable: true, "The state folder cannot be read or written; data.path names it.",
        remedy: "Make the state folder writable, or choose another one with --state.")
    case .wrongSecret:
      Row(
        6002, "The root secret does not open the key store.",
        remedy: "Give the right passphrase, or put the right key file back.")
    case .noSecret:
      Row(
        6003, "The root secret is missing, or cannot be had.",
        remedy: "Give the secret that the key store was made with.")
    case .damaged:
      Row(
        6004, "A file of the state folder is damaged; data.path names it.",
        remedy: "Put a good copy of the file back, or follow data.hint.")
    case .diskFull:
      Row(6005, retryable: true, "The disk is full; nothing was changed.", remedy: "Free some space and call again.")
    case .newerSchema:
      Row(
        6006, "The state was written by a newer version; nothing was changed.",
        remedy: "Use the newer mambridge, or another --state.")
    case .wrongPermissions:
      Row(
        6007, "Other users can read a key file or change the state; data.hint has the command that fixes it.",
        remedy: "Check that nobody has changed the file, then run the command in data.hint.")
    case .stateInUse:
      Row(
        6008, retryable: true,
        "Another process holds the lock on the keys, on check-ins or on a wipe. Call again.",
        remedy: "Call again; if this goes on, end the process that holds the lock.")

    // Sign-in.
    case .interactionRequired:
      Row(
        7001, "A token is needed, and can only be had by asking the user.",
        remedy: "A host that answers this is asked again with silent false.")
    case .canceled: Row(7002, "The user has canceled.", remedy: "Go on without what the user was asked for.")
    case .tokenRefused:
      Row(
        7003, "The token does not prove that the user has signed in.",
        remedy: "Give the token of the user's latest sign-in.")

    // Challenges and PINs.
    case .challenge:
      Row(
        8001, "The host must ask the user: data.challenge says what; answer it and repeat the call.",
        remedy: "Ask the user, give the answer to conditionalLaunch.answer, and repeat the call.")
    case .challengeNotOpen:
      Row(
        8002, "No challenge of this id is open: it is unknown, answered or expired.",
        remedy: "Repeat the call that asked for it, which goes on or gives a new challenge.")
    case .wrongAnswer:
      Row(
        8003, "The answer is not of the kind that the challenge asks for.",
        remedy: "Give exactly the answer in data.hint, or canceled.")
    case .pinNotRequired:
      Row(
        8010, "No policy requires a PIN of the account, or the device's own replaces it.",
        remedy: "Ask policy.isPINRequired first.")
    case .pinNotSet:
      Row(8011, "The user has no PIN yet: pin.set.", remedy: "Let the user choose a PIN, and call pin.set.")
    case .pinAlreadySet:
      Row(
        8012, "The user has a PIN: pin.change, or pin.reset when it is forgotten.",
        remedy: "Call pin.change, or pin.reset if the user has forgotten the PIN.")
    case .wrongPIN:
      Row(
        8013, "That is not the user's PIN; data.hint says how many tries are left.",
        remedy: "Let the user try again.")
    case .pinNotAllowed:
      Row(
        8014,
        """
        The policy does not allow this as a new PIN; data.messageKey names the rule, data.userMessage tells the user.
        """, remedy: "Show data.userMessage, and let the user choose another PIN.")
    case .pinRetriesExceeded:
      Row(
        8015,
        "There were too many wrong PINs: the user must sign in, pin.reset, or the account's data was wiped.",
        remedy: "Let the user sign in and call pin.reset, or enroll the account again after a wipe.")

    // Tests.
    case .manualClockNeeded:
      Row(
        9001, "The clock is the system's: start the server with --clock manual.",
        remedy: "Start the server with --clock manual.")
    case .debugSettingsNeeded:
      Row(
        9002, "Test policies need the setting DebugSettingsEnabled.",
        remedy: "Start with --set DebugSettingsEnabled=true, but not in a released app.")
    }
  }
}
