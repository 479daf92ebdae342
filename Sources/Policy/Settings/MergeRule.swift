/// What becomes of a setting that several policies set.
public enum MergeRule: Sendable {
  /// This boolean restricts, and wins.
  case restricting(Bool)
  /// The most restrictive word wins.
  case stricter
  /// What all of them allow or exempt.
  case intersection
  case highest
  case lowest
  /// When they are not all equal, the value that the portal proposes.
  case portalDefault(SettingValue)
  /// The first policy's, in the order of the ids, with a warning when they differ.
  case first
  /// Tells something about one policy; not part of what is merged.
  case none
}
