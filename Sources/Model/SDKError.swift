/// An NSError of the SDK, which an error code of the wire stands for.
package struct SDKError: Equatable, Sendable {
  package let domain: String
  package let code: Int

  /// Nil for an error that the SDK does not have.
  package init?(wireCode: Int) {
    guard let status = DataProtectionStatusCode(sdkValue: wireCode - 1000) else { return nil }
    (domain, code) = ("IntuneMAMDataProtectionErrorDomain", status.sdkValue)
  }
}
