import Glibc

/// The folder from which the tests were built.
package enum Checkout {
  /// The absolute path of a file or folder, for example `Tests/Vectors`.
  package static func path(_ name: String) -> String { folder("\(#filePath)", above: 3) + "/" + name }

  /// `nil` for a file that is not there.
  package static func text(_ name: String) -> String? {
    readFile(path(name)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Where `swift build` puts programs: the folder of the tests.
  package static let products: String = {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = max(0, readlink("/proc/self/exe", &buffer, buffer.count))
    let tests = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return folder(tests, above: 1)
  }()

  /// The path of a program: what a variable names, as `scripts/test --release` does with what ships, or the one beside the
  /// tests.
  package static func program(_ name: String, orAt variable: String) -> String {
    let named = getenv(variable).map { String(cString: $0) } ?? ""
    return access(named, X_OK) == 0 ? named : "\(products)/\(name)"
  }

  /// A file in the scratch folder of the build: `.build`, or a folder in it. `nil` if it is not there.
  package static func builtText(_ path: String) -> String? {
    readFile("\(folder(products, above: 2))/\(path)").map { String(decoding: $0, as: UTF8.self) }
  }

  private static func folder(_ path: String, above levels: Int) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).dropLast(levels).joined(separator: "/")
  }
}
