import Model
import Vault

@testable import MAM

/// Calls that may wait for the disk always answer.
extension Protection {
  func protect(_ bytes: [UInt8]?, for reference: AccountReference?) throws(MAMError) -> [UInt8] {
    try protect(bytes, for: reference, .disk).get()
  }

  func unprotect(_ bytes: [UInt8]?) throws(MAMError) -> [UInt8] { try unprotect(bytes, .disk).get() }
}
