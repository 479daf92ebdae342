import Model
import Support

/// What came of asking the user.
public enum HostAnswer<Value: Sendable>: Sendable {
  case value(Value)
  /// The user does not want to.
  case canceled
  /// Nobody can ask, or nobody has answered.
  case unavailable
}

extension HostAnswer: Equatable where Value: Equatable {}

public struct AccessToken: Equatable, Sendable {
  public let token: HostSecret
  /// Nil when that is not known.
  public let expires: Timestamp?

  public init(token: HostSecret, expires: Timestamp?) {
    self.token = token
    self.expires = expires
  }
}

/// Who has signed in, and what proves it.
public struct Credentials: Equatable, Sendable {
  public let userPrincipalName: String
  public let token: HostSecret

  public init(userPrincipalName: String, token: HostSecret) {
    self.userPrincipalName = userPrincipalName
    self.token = token
  }
}

/// How the user answers a prompt for a PIN.
public enum PINEntry: Equatable, Sendable {
  case pin(HostSecret)
  /// The host has recognized the user, and vouches for it.
  case biometric(Biometric)
}

/// Something that the user must be told.
public struct HostAlert: Equatable, Sendable {
  public var title: String
  public var message: String
  /// The texts of the buttons.
  public var actions: [String]
  /// Nil for the application as a whole.
  public var window: String?

  public init(title: String, message: String, actions: [String], window: String? = nil) {
    self.title = title
    self.message = message
    self.actions = actions
    self.window = window
  }
}
