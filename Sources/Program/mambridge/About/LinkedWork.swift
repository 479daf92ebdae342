import Archive
import CGlibc
import CTexts
import Cryptography
import JSON
import SQLite

/// A work of other authors that is linked into the program.
final class LinkedWork: Sendable {
  let name: String
  let version: String
  /// An SPDX license expression.
  let license: String
  let url: String
  let copyright: String
  /// Whether the work has more notices than its copyright, in a file of its name.
  private let hasNotices: Bool

  private init(
    _ name: String, _ version: String, _ license: String, _ url: String, _ copyright: String, hasNotices: Bool = false
  ) {
    self.name = name
    self.version = version
    self.license = license
    self.url = url
    self.copyright = copyright
    self.hasNotices = hasNotices
  }

  /// The notices beside the copyright; empty if there are none.
  var notices: String { hasNotices ? builtInText("notices/\(name).txt") : "" }

  var json: JSONValue {
    [
      "name": .string(name), "version": .string(version), "license": .string(license), "url": .string(url),
      "notice": .string([copyright, notices].filter { !$0.isEmpty }.joined(separator: "\n\n")),
    ]
  }

  /// The licenses and exceptions of the expression, by their SPDX identifiers.
  var licenses: [String] { license.split(separator: " ").map(String.init).filter { $0 != "WITH" && $0 != "AND" } }

  /// The text of a license or an exception, by its SPDX identifier.
  static func text(ofLicense name: String) -> String { builtInText("licenses/\(name).txt") }
}

extension LinkedWork {
  /// Those of Swift first, then the libraries of the system.
  static let all = swift + packages + libraries + zstd

  private static let swiftLicense = "Apache-2.0 WITH Swift-exception"
  private static let swiftCopyright = "Copyright Apple Inc. and the Swift project authors"

  /// A program cannot ask which compiler built it, but conditions can.
  #if compiler(>=6.3.2)
    private static let swiftVersion = "6.3.2 or later"
  #elseif compiler(>=6.3.1)
    private static let swiftVersion = "6.3.1"
  #elseif compiler(>=6.2.4)
    private static let swiftVersion = "between 6.2.3 and 6.3.1"
  #elseif compiler(>=6.2.3)
    private static let swiftVersion = "6.2.3"
  #else
    private static let swiftVersion = "before 6.2.3"
  #endif

  private static var swift: [LinkedWork] {
    [
      LinkedWork(
        "Swift", swiftVersion, "\(swiftLicense) AND Apache-2.0 WITH LLVM-exception", "https://swift.org",
        "\(swiftCopyright). The runtime contains parts of LLVM."),
      LinkedWork(
        "swift-foundation", swiftVersion, swiftLicense, "https://github.com/swiftlang/swift-foundation",
        "\(swiftCopyright). Contains parts of swift-collections."),
      LinkedWork(
        "libdispatch", swiftVersion, swiftLicense, "https://github.com/swiftlang/swift-corelibs-libdispatch",
        "\(swiftCopyright). Contains the blocks runtime."),
    ]
  }

  /// A test compares the versions with those that the package manager has checked out.
  private static var packages: [LinkedWork] {
    [
      LinkedWork(
        "swift-argument-parser", "1.8.2", swiftLicense, "https://github.com/apple/swift-argument-parser",
        swiftCopyright),
      LinkedWork("swift-atomics", "1.3.0", swiftLicense, "https://github.com/apple/swift-atomics", swiftCopyright),
      LinkedWork(
        "swift-collections", "1.6.0", swiftLicense, "https://github.com/apple/swift-collections", swiftCopyright),
      LinkedWork(
        "swift-nio", "2.101.2", "Apache-2.0 AND MIT", "https://github.com/apple/swift-nio",
        "Copyright 2017-2026 Apple Inc. and the SwiftNIO project authors", hasNotices: true),
      LinkedWork("llhttp", "9.3.0", "MIT", "https://github.com/nodejs/llhttp", "Copyright Fedor Indutny, 2018"),
    ]
  }

  private static var libraries: [LinkedWork] {
    [
      LinkedWork(
        "OpenSSL", Random.libraryVersion, "Apache-2.0", "https://openssl.org",
        "Copyright 1995-2025 The OpenSSL Project Authors, and 1995-1998 Eric A. Young, Tim J. Hudson"),
      LinkedWork(
        "SQLite", Connection.libraryVersion, "blessing", "https://sqlite.org",
        "The authors disclaim copyright to this work."),
      LinkedWork(
        "jansson", JSONDocument.libraryVersion, "MIT", "https://github.com/akheron/jansson",
        "Copyright 2009-2016 Petri Lehtinen <petri@digip.org>, and 2011 Basile Starynkevitch"),
      LinkedWork(
        "zlib", TarGzip.libraryVersion, "Zlib", "https://zlib.net",
        "Copyright 1995-2022 Jean-loup Gailly and Mark Adler"),
      LinkedWork(
        "glibc", String(cString: gnu_get_libc_version()), "LGPL-2.1-or-later", "https://www.gnu.org/software/libc/",
        """
        Copyright 1991-2022 Free Software Foundation, Inc. To use a modified glibc, install it and build mambridge \
        from its source with scripts/build.
        """, hasNotices: true),
      LinkedWork(
        "libstdc++ and libgcc", String(cglibc_gcc_release()), "GPL-3.0-or-later WITH GCC-exception-3.1",
        "https://gcc.gnu.org", "Copyright 1986-2022 Free Software Foundation, Inc."),
    ]
  }

  /// libcrypto of some systems needs it.
  private static var zstd: [LinkedWork] {
    guard let version = Random.zstdVersion else { return [] }
    return [
      LinkedWork(
        "zstd", version, "BSD-3-Clause", "https://github.com/facebook/zstd",
        "Copyright Meta Platforms, Inc. and affiliates. Contains xxHash, copyright Yann Collet.")
    ]
  }
}

/// A text of CTexts; empty for an unknown name.
func builtInText(_ name: String) -> String { ctexts_find(name).map { String(cString: $0) } ?? "" }
