// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
]

/// The system libraries are linked here, not by their module maps: a `link` line there would always take the shared one.
/// With MAMBRIDGE_STATIC set, the archives are taken instead. That needs unsafe flags, which a package that others
/// depend on must not have, hence the switch.
let isStatic = Context.environment["MAMBRIDGE_STATIC"] != nil

func systemLibrary(_ name: String, needing others: [String] = []) -> [LinkerSetting] {
  guard isStatic else { return [.linkedLibrary(name)] }
  return [.unsafeFlags(["-Xlinker", "-l:lib\(name).a"])] + others.map { .linkedLibrary($0) }
}

/// For targets whose speed no benchmark notices. With them, the static executable is 0.4 MB smaller.
let small = strict + (isStatic ? [.unsafeFlags(["-Osize"])] : [])

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: "\(name)Tests", dependencies: dependencies, swiftSettings: strict)
}

let nio: [Target.Dependency] = ["NIOCore", "NIOPosix", "NIOHTTP1"].map { .product(name: $0, package: "swift-nio") }

/// What swift-nio uses. Its versions are fixed here because no lock file is checked in; SwiftPM warns of a version that
/// no target needs.
let usedByNIO: [Target.Dependency] = [
  .product(name: "Atomics", package: "swift-atomics"), .product(name: "DequeModule", package: "swift-collections"),
  .product(name: "SystemPackage", package: "swift-system"),
]

let package = Package(
  name: "mambridge",
  products: [.executable(name: "mambridge", targets: ["mambridge"])],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-atomics.git", exact: "1.3.0"),
    .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
    .package(url: "https://github.com/apple/swift-system.git", exact: "1.8.1"),
  ],
  targets: [
    .systemLibrary(name: "CJansson", providers: [.apt(["libjansson-dev"])]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "CGlibc"),
    // Built in with #embed, so they are no sources and no resources.
    .target(name: "CTexts", exclude: ["completions", "licenses", "notices"]),
    .target(name: "Support", dependencies: ["CGlibc"], swiftSettings: strict),
    .target(
      name: "JSON", dependencies: ["CJansson", "Support"], swiftSettings: strict,
      linkerSettings: systemLibrary("jansson")),
    .target(
      name: "SQLite", dependencies: ["CSQLite", "Support"], swiftSettings: strict,
      linkerSettings: systemLibrary("sqlite3", needing: ["m"])),
    .target(
      name: "Cryptography", dependencies: ["COpenSSL", "CGlibc"], swiftSettings: strict,
      linkerSettings: systemLibrary("crypto")),
    .target(
      name: "Archive", dependencies: ["CZlib", "Support"], swiftSettings: strict, linkerSettings: systemLibrary("z")),
    .target(name: "Model", dependencies: ["JSON", "Support"], swiftSettings: strict),
    .target(name: "Policy", dependencies: ["Model", "JSON", "Support"], swiftSettings: strict),
    .target(name: "Tenancy", dependencies: ["Policy", "Model", "JSON", "Support"], swiftSettings: small),
    .target(name: "PropertyList", dependencies: ["JSON"], swiftSettings: small),
    .target(name: "Configurator", dependencies: ["PropertyList", "JSON", "Support"], swiftSettings: small),
    .target(name: "JSONRPC", dependencies: ["JSON", "Support"], swiftSettings: strict),
    .target(
      name: "Vault", dependencies: ["Model", "Cryptography", "Support", "CGlibc"], swiftSettings: strict),
    .target(
      name: "MAM",
      dependencies: [
        "Vault", "Tenancy", "Policy", "Model", "PropertyList", "Archive", "Cryptography", "SQLite", "JSON", "Support",
        "CGlibc",
      ],
      swiftSettings: small),
    .target(
      name: "Bridge",
      dependencies: ["MAM", "Vault", "Policy", "Model", "JSONRPC", "JSON", "Support"],
      swiftSettings: strict),
    .target(
      name: "Transport",
      dependencies: ["JSONRPC", "JSON", "Support", "Cryptography", "CGlibc"] + nio,
      swiftSettings: strict),
    .target(
      name: "SourceClient",
      dependencies: ["MAM", "Tenancy", "Model", "JSONRPC", "JSON", "Cryptography", "Support", "CGlibc"],
      swiftSettings: small),
    .executableTarget(
      name: "mambridge",
      dependencies: [
        "Transport", "Bridge", "SourceClient", "Configurator", "JSONRPC", "JSON", "MAM", "Vault", "Tenancy", "Policy",
        "Model", "Support", "Cryptography", "SQLite", "Archive", "CGlibc", "CTexts",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: small),

    .target(
      name: "TestSupport", dependencies: ["JSON", "Policy", "Model", "Support", "CGlibc"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .target(
      name: "TestCertificates", dependencies: ["Cryptography", "COpenSSL"], path: "Tests/TestCertificates",
      swiftSettings: strict),
    tests("Support", ["Support", "TestSupport"]),
    tests("JSON", ["JSON"]),
    tests("SQLite", ["SQLite", "TestSupport"]),
    tests("Cryptography", ["Cryptography", "TestCertificates", "TestSupport"]),
    tests("Archive", ["Archive", "Support", "TestSupport"]),
    tests("Model", ["Model", "JSON", "TestSupport"]),
    tests("Policy", ["Policy", "Model", "JSON", "Support", "TestSupport"]),
    tests("Tenancy", ["Tenancy", "Policy", "Model", "JSON", "TestSupport"]),
    tests("PropertyList", ["PropertyList", "JSON"]),
    tests("Configurator", ["Configurator", "PropertyList", "JSON", "TestSupport"]),
    tests("JSONRPC", ["JSONRPC", "JSON", "Support", "TestSupport"]),
    tests("Vault", ["Vault", "Model", "Cryptography", "Support", "TestSupport"]),
    tests(
      "MAM",
      [
        "MAM", "Vault", "Tenancy", "Policy", "Model", "Cryptography", "SQLite", "JSON", "Support", "CGlibc",
        "TestSupport",
      ]),
    tests(
      "Bridge",
      [
        "Bridge", "MAM", "Tenancy", "Policy", "Model", "JSONRPC", "Cryptography", "JSON", "Support",
        "TestCertificates", "TestSupport",
      ]),
    tests(
      "SourceClient",
      ["SourceClient", "MAM", "Tenancy", "Policy", "Model", "Cryptography", "JSON", "Support", "TestSupport"]),
    tests("Transport", ["Transport", "JSONRPC", "JSON", "Support", "CGlibc", "TestSupport"] + nio + usedByNIO),
    tests("mambridge", ["mambridge", "Bridge", "JSON", "Support", "TestCertificates", "TestSupport"]),
  ]
)

/// The same sources, as tests that replay the corpus, or with libFuzzer's `main`: scripts/fuzz asks for that. FuzzWire
/// leaves out the params of the methods, because a build of the Bridge for fuzzing takes minutes; FuzzParams reads them.
let fuzzed: [Target.Dependency] = ["JSONRPC", "JSON", "Support"]
let fuzzFolder = "Tests/FuzzTests"
let fuzzFiles = ["FuzzWire.corpus", "dictionary.txt"]
let fuzzParams: [SwiftSetting] = strict + [.define("PARAMS")]
switch Context.environment["MAMBRIDGE_FUZZ"] {
case "wire":
  package.targets.append(
    .executableTarget(
      name: "FuzzWire", dependencies: fuzzed, path: fuzzFolder,
      exclude: fuzzFiles + ["CorpusTests.swift", "MethodParams.swift"], swiftSettings: strict))
case "params":
  package.targets.append(
    .executableTarget(
      name: "FuzzParams", dependencies: fuzzed + ["Bridge"], path: fuzzFolder,
      exclude: fuzzFiles + ["CorpusTests.swift"], swiftSettings: fuzzParams))
default:
  package.targets.append(
    .testTarget(
      name: "FuzzTests", dependencies: fuzzed + ["Bridge"], path: fuzzFolder, exclude: fuzzFiles,
      swiftSettings: fuzzParams))
}

/// For Benchmarks/ alone: no product of ours needs it.
if Context.environment["MAMBRIDGE_BENCHMARKS"] != nil {
  package.targets.append(
    .executableTarget(
      name: "Benchmark", dependencies: ["MAM", "Vault", "Cryptography", "Model", "Support"],
      path: "Benchmarks/Benchmark",
      swiftSettings: strict))
}
