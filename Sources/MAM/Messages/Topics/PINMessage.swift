/// What the user is told of the PIN.
enum PINMessage: String, MessageTopic {
  case setTitle = "Set_Pin_Title"
  case setMessage = "Set_Pin_Message"
  case setError = "Set_Pin_Error"
  case enterTitle = "Enter_Pin_Title"
  case enterMessage = "Enter_Pin_Message"
  case enterError = "Enter_Pin_Error"
  case biometricNotAllowed = "Biometric_NotAllowed_Message"

  case changeTitle = "Change_Pin_Title"
  case changeRequired = "Passcode_Change_Required"
  case expired = "Passcode_Change_Required_Pin_Expired"

  case retriesTitle = "Max_Attempt_Reset_Title"
  case retriesReset = "Max_Attempt_Reset_Pin_Message"
  case retriesWipe = "ExceededMaxPinRetries_Message"

  case simplePIN = "Simple_PIN_Not_Allowed"
  case simplePasscode = "Simple_AlphaNumeric_PIN_Not_Allowed"
  case numericNotAllowed = "Numeric_PIN_Not_Allowed"
  case onlyNumericAllowed = "Only_Numeric_Allowed"
  case classesRequired = "Passcode_Requirements_Unmet"
  case usedBefore = "Passcode_History_Requirements_Unmet"
  /// With how many.
  case lengthRequired = "Passcode_Length_Required"
}
