/// What reading a member of a policy gave. No value and no complaint: the member is null or empty, which is unset.
public struct SettingReading: Hashable, Sendable {
  public var value: SettingValue?
  /// Why the member, or a part of it, does not fit.
  public var complaint: String?

  static let unset = SettingReading()

  static func of(_ value: SettingValue) -> SettingReading { SettingReading(value: value) }
  static func misfit(_ complaint: String) -> SettingReading { SettingReading(complaint: complaint) }
}
