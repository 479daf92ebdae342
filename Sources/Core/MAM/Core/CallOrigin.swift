import Model
import Support

/// Who made the call that this task runs. A context keeps it as its `caller`.
package final class CallOrigin: Sendable {
  /// The language of the user; `nil` if unknown.
  let language: Language?
  /// The SDK level that the host named; `nil` if the setting decides.
  let sdkLevel: SDKLevel?
  let screenOwner: ScreenOwner
  /// The connection, for the layer that knows connections; `nil` if there is none.
  package let connection: (any AnyObject & Sendable)?

  package init(
    language: Language? = nil, sdkLevel: SDKLevel? = nil, screenOwner: ScreenOwner = .core,
    connection: (any AnyObject & Sendable)? = nil
  ) {
    self.language = language
    self.sdkLevel = sdkLevel
    self.screenOwner = screenOwner
    self.connection = connection
  }

  /// `nil` if the core acts on its own.
  package static var current: CallOrigin? { CallContext.current?.caller as? CallOrigin }

  /// Without what concerns the answer alone: language and SDK level.
  var unspoken: CallOrigin { CallOrigin(screenOwner: screenOwner, connection: connection) }
}
