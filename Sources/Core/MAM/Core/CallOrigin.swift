import Model
import Support

/// Who made the call that this task runs, and what the call assumes. A context keeps it as its `caller`.
package final class CallOrigin: Sendable {
  /// The language of the user; `nil` if unknown.
  let language: Language?
  /// The SDK level that the host named; `nil` if the setting decides.
  let sdkLevel: SDKLevel?
  let screenOwner: ScreenOwner
  /// The connection, for the layer that knows connections; `nil` if there is none.
  package let connection: (any AnyObject & Sendable)?
  /// `nil` for an answer by the policies in force.
  let assumption: Assumption?

  /// The core, on its own.
  static let core = CallOrigin(language: nil, sdkLevel: nil, screenOwner: .core, connection: nil, nil)

  /// A connection. What the current call assumes stays.
  package convenience init(
    language: Language? = nil, sdkLevel: SDKLevel? = nil, screenOwner: ScreenOwner = .core,
    connection: (any AnyObject & Sendable)? = nil
  ) {
    self.init(
      language: language, sdkLevel: sdkLevel, screenOwner: screenOwner, connection: connection, Self.current?.assumption
    )
  }

  private init(
    language: Language?, sdkLevel: SDKLevel?, screenOwner: ScreenOwner, connection: (any AnyObject & Sendable)?,
    _ assumption: Assumption?
  ) {
    self.language = language
    self.sdkLevel = sdkLevel
    self.screenOwner = screenOwner
    self.connection = connection
    self.assumption = assumption
  }

  /// `nil` if the core acts on its own.
  package static var current: CallOrigin? { CallContext.current?.caller as? CallOrigin }

  func assuming(_ assumption: Assumption?) -> CallOrigin {
    CallOrigin(
      language: language, sdkLevel: sdkLevel, screenOwner: screenOwner, connection: connection, assumption)
  }

  /// Without what concerns the answer alone: language, SDK level and assumption.
  var unspoken: CallOrigin {
    CallOrigin(language: nil, sdkLevel: nil, screenOwner: screenOwner, connection: connection, nil)
  }

  /// Runs `body` by the policies in force.
  static func assumingNothing(_ body: () -> Void) {
    guard let caller = current, caller.assumption != nil else { return body() }
    CallContext.$current.withValue(.current(by: caller.assuming(nil))) { body() }
  }
}
