/// What is wrong with the device.
enum DeviceMessage: String, MessageTopic {
  case rootedTitle = "DeviceRooted_Title"
  case rootedMessage = "DeviceRooted_Message"
  case pinRequiredTitle = "DevicePINRequired_Title"
  case pinRequiredMessage = "DevicePINRequired_Message"
  /// With the model or the manufacturer, as the next one.
  case modelBlocked = "AppBlockedOnDeviceModel_Message"
  case modelWiped = "DeviceModelBlocked_Message"
  case threat = "DeviceMTDNonCompliant_Message"
  case threatDefenseMissing = "MTD_Required_Message"
}
