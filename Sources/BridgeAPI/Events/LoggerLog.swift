import JSON
import Model

package enum LoggerLog: Notification {
  package struct Params: Record {
    package var level: LogLevel
    package var message: String
    package static let fields = Fields(
      Self.init(level:message:), Field("level", \.level, "How much the line matters."),
      Field("message", \.message, "What happened; personal data only in verbose lines."))

    package init(level: LogLevel, message: String) {
      self.level = level
      self.message = message
    }
  }
  package static let name = "logger.log"
  package static let summary = "A line of the diagnostics log, as it is written."
  package static let details = """
    Not stored, and without a number: lines that a host does not read in time are dropped; diagnosticsLog.query has them.
    """
  package static let example = Params(level: .info, message: "enroll <user:3fa1c2d4>: newPoliciesReceived (100)")
  package static let sdkMembers = ["IntuneMAMLogger -log:level:"]
}
