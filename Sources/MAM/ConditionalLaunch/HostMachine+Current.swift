import Glibc
import Model

extension HostMachine {
  static var current: HostMachine {
    var name = utsname()
    uname(&name)
    return HostMachine(
      system: text(of: &name.sysname), release: text(of: &name.release), architecture: text(of: &name.machine))
  }

  /// A field of C characters that ends with 0.
  private static func text<Characters>(of characters: inout Characters) -> String {
    withUnsafeBytes(of: &characters) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
