/// A language in which users are told something.
enum Language {
  case english
}
