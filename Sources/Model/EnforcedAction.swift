/// What a user can do with a feature of the system, and an app protection policy can forbid.
public enum EnforcedAction: String, CaseIterable, Hashable, Sendable {
  case print, screenCapture, thirdPartyKeyboard, dictation, backup, genmoji, writingTools, saveAs
}

extension EnforcedAction: NamedValue {}
