/// How a file is opened, as open(2) has it. At most one of the first three; without any it is `readWrite`.
public enum FileFlag: String, CaseIterable, Hashable, Sendable, NamedValue {
  case readOnly, writeOnly, readWrite, append, create, truncate, exclusive
}
