import Model

enum StrictModeViolation: Event {
  typealias Body = StrictViolation
  static let name = "strictMode.violation"
  static let summary = "Strict mode found a mistake in how a host uses the SDK."
  static let details =
    "Sent only while strict mode is on: with the setting StrictMode, or after strictMode.enable. For developers."
  static let example = EventParams(
    .example, StrictViolation(.saveToLocationMissingOID, in: IsSaveToAllowedForLocation.name))
}
