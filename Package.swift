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

/// In a release build, what is tested is optimized, and the tests are not: that would take longer than the rest, and crashes
/// the compiler (Swift 6.3.1).
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: dependencies,
    swiftSettings: strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))])
}

/// The folders of Sources, and those of Tests, which mirror them. A target uses only targets of its own room and of the
/// rooms above it.
let rooms: KeyValuePairs = [
  "Base": [
    "CCrash", "CGlibc", "CJansson", "COpenSSL", "CPostgreSQL", "CSQLite", "CTexts", "CZlib", "Support", "JSON",
    "SQLite", "Cryptography", "PropertyList", "Archive",
  ],
  "Rules": ["Model", "Policy", "PhoneLogs"],
  "Tenants": ["Tenancy", "SourceProtocol"],
  "Core": ["Vault", "MAM"],
  "Wire": ["JSONRPC", "Bridge", "HTTPServer", "Transport", "HTTP", "SourceHost"],
  "Program": ["mambridge", "Configurator"],
  "Service": [
    "mambridge-tenant", "Development", "TenantService", "ServiceSource", "SignIn", "GraphPull", "HTTPNetwork",
    "Database", "PostgreSQL",
  ],
]

let nio: [Target.Dependency] = ["NIOCore", "NIOPosix", "NIOHTTP1"].map { .product(name: $0, package: "swift-nio") }

/// What swift-nio uses. Its versions are fixed here because no lock file is checked in; SwiftPM warns of a version that
/// no target needs.
let usedByNIO: [Target.Dependency] = [
  .product(name: "Atomics", package: "swift-atomics"), .product(name: "DequeModule", package: "swift-collections"),
  .product(name: "SystemPackage", package: "swift-system"),
]

/// Only `mambridge-tenant` has network code. What it needs for that is neither fetched nor built unless this trait is
/// on; without it, the program says so and ends.
let network = TargetDependencyCondition.when(traits: ["TenantService"])

/// Tells SwiftPM that a version is needed, without building anything.
let unmet = TargetDependencyCondition.when(platforms: [.windows], traits: ["TenantService"])

/// What the packages of the tenant service use. Their versions are fixed here because no lock file is checked in.
let usedByNetwork: [(url: String, product: String, version: Version)] = [
  ("https://github.com/apple/swift-algorithms.git", "Algorithms", "1.2.1"),
  ("https://github.com/apple/swift-asn1.git", "SwiftASN1", "1.7.4"),
  ("https://github.com/apple/swift-async-algorithms.git", "AsyncAlgorithms", "1.1.4"),
  ("https://github.com/apple/swift-certificates.git", "X509", "1.21.1"),
  ("https://github.com/apple/swift-configuration.git", "Configuration", "1.4.0"),
  ("https://github.com/apple/swift-crypto.git", "Crypto", "4.5.2"),
  ("https://github.com/apple/swift-distributed-tracing.git", "Tracing", "1.7.3"),
  ("https://github.com/apple/swift-http-structured-headers.git", "StructuredFieldValues", "1.7.0"),
  ("https://github.com/apple/swift-http-types.git", "HTTPTypes", "1.8.0"),
  ("https://github.com/apple/swift-log.git", "Logging", "1.16.2"),
  ("https://github.com/apple/swift-metrics.git", "Metrics", "2.13.0"),
  ("https://github.com/apple/swift-nio-extras.git", "NIOExtras", "1.35.2"),
  ("https://github.com/apple/swift-nio-http2.git", "NIOHTTP2", "1.46.0"),
  ("https://github.com/apple/swift-nio-ssl.git", "NIOSSL", "2.37.6"),
  ("https://github.com/apple/swift-nio-transport-services.git", "NIOTransportServices", "1.28.0"),
  ("https://github.com/apple/swift-numerics.git", "Numerics", "1.1.1"),
  ("https://github.com/apple/swift-service-context.git", "ServiceContextModule", "1.5.1"),
  ("https://github.com/swift-server/swift-service-lifecycle.git", "ServiceLifecycle", "2.13.0"),
]

func networkProduct(_ name: String, _ package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: network)
}

/// Those of them that our own code imports, too.
let importedByNetwork: Set = ["Logging", "NIOSSL", "ServiceLifecycle"]

let package = Package(
  name: "mambridge",
  products: [
    .executable(name: "mambridge", targets: ["mambridge"]),
    .executable(name: "mambridge-tenant", targets: ["mambridge-tenant"]),
  ],
  traits: [
    .trait(name: "TenantService", description: "Builds mambridge-tenant with its network code: HTTP, TLS, PostgreSQL.")
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-atomics.git", exact: "1.3.0"),
    .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
    .package(url: "https://github.com/apple/swift-system.git", exact: "1.8.1"),
    .package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0"),
  ]
    + usedByNetwork.map {
      // With its default traits, it would bring all of Foundation: 45 MB.
      $0.product == "Configuration"
        ? .package(url: $0.url, exact: $0.version, traits: []) : .package(url: $0.url, exact: $0.version)
    },
  targets: [
    .systemLibrary(name: "CJansson", providers: [.apt(["libjansson-dev"])]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "CCrash"),
    .target(name: "CGlibc"),
    .target(name: "CPostgreSQL"),
    // Built in with #embed, so they are no sources and no resources.
    .target(name: "CTexts", exclude: ["completions", "licenses", "notices"]),
    .target(name: "Support", dependencies: ["CCrash", "CGlibc"], swiftSettings: strict),
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
    .target(name: "PhoneLogs", dependencies: ["Policy", "Model", "JSON", "Support"], swiftSettings: small),
    .target(
      name: "Tenancy", dependencies: ["SourceProtocol", "Policy", "Model", "JSON", "Support"], swiftSettings: small),
    .target(name: "SourceProtocol", dependencies: ["Cryptography", "JSON", "Support"], swiftSettings: small),
    .target(name: "PropertyList", dependencies: ["JSON"], swiftSettings: small),
    .target(name: "Configurator", dependencies: ["PropertyList", "JSON", "Support"], swiftSettings: small),
    .target(name: "JSONRPC", dependencies: ["JSON", "Support"], swiftSettings: strict),
    .target(
      name: "Vault", dependencies: ["Model", "Cryptography", "Support", "CGlibc"], swiftSettings: small),
    .target(
      name: "MAM",
      dependencies: [
        "Vault", "SourceProtocol", "Tenancy", "Policy", "Model", "PropertyList", "Archive", "Cryptography", "SQLite",
        "JSON", "Support", "CGlibc", "CTexts",
      ],
      swiftSettings: small),
    .target(
      name: "Bridge",
      dependencies: [
        "MAM", "Vault", "SourceProtocol", "Tenancy", "Policy", "Model", "JSONRPC", "JSON", "Support", "CGlibc",
      ],
      swiftSettings: strict),
    .target(name: "HTTPServer", dependencies: ["Support"] + nio, swiftSettings: strict),
    .target(
      name: "Transport",
      dependencies: ["HTTPServer", "JSONRPC", "JSON", "Support", "Cryptography", "CGlibc"] + nio,
      swiftSettings: strict),
    .target(
      name: "SourceHost",
      dependencies: ["MAM", "SourceProtocol", "Tenancy", "Model", "JSONRPC", "JSON", "Support", "CGlibc"],
      swiftSettings: small),
    .executableTarget(
      name: "mambridge",
      dependencies: [
        "Transport", "Bridge", "SourceHost", "Configurator", "JSONRPC", "JSON", "MAM", "Vault", "SourceProtocol",
        "Tenancy", "PhoneLogs", "Policy", "Model", "Support", "Cryptography", "SQLite", "Archive", "CGlibc", "CTexts",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: small),
    .target(name: "HTTP", dependencies: ["JSON", "Support"], swiftSettings: strict),
    .target(name: "Database", dependencies: ["SQLite", "Support"], swiftSettings: strict),
    .target(
      name: "PostgreSQL",
      dependencies: ["Database", "Support", .target(name: "CPostgreSQL", condition: network)],
      swiftSettings: strict),
    .target(
      name: "TenantService",
      dependencies: [
        "SourceProtocol", "Tenancy", "Policy", "Model", "Database", "HTTP", "Cryptography", "JSON", "Support",
      ],
      swiftSettings: strict),
    .target(
      name: "Development",
      dependencies: [
        "TenantService", "SourceProtocol", "Tenancy", "Model", "HTTP", "Cryptography", "JSON", "Support", "CTexts",
      ],
      swiftSettings: strict),
    .target(
      name: "ServiceSource", dependencies: ["SourceProtocol", "JSONRPC", "HTTP", "JSON", "Support"],
      swiftSettings: strict),
    .target(
      name: "GraphPull",
      dependencies: ["Vault", "Tenancy", "Model", "HTTP", "Cryptography", "JSON", "Support", "CGlibc"],
      swiftSettings: strict),
    .target(
      name: "SignIn",
      dependencies: [
        "GraphPull", "ServiceSource", "SourceProtocol", "Vault", "HTTP", "Cryptography", "JSON", "Support", "CGlibc",
      ],
      swiftSettings: strict),
    .target(
      name: "HTTPNetwork",
      dependencies: [
        "HTTPServer", "HTTP", "Support",
        networkProduct("AsyncHTTPClient", "async-http-client"), networkProduct("NIOCore", "swift-nio"),
        networkProduct("NIOPosix", "swift-nio"), networkProduct("NIOHTTP1", "swift-nio"),
      ]
        + usedByNetwork.map {
          let package = $0.url.split(separator: "/").last?.dropLast(".git".count) ?? ""
          return .product(
            name: $0.product, package: String(package),
            condition: importedByNetwork.contains($0.product) ? network : unmet)
        },
      swiftSettings: strict),
    .executableTarget(
      name: "mambridge-tenant",
      dependencies: [
        "HTTPNetwork", "HTTPServer", "PostgreSQL", "Development", "TenantService", "ServiceSource", "SignIn",
        "GraphPull", "Transport", "Vault", "SourceProtocol", "Tenancy", "Model", "Database", "HTTP", "Cryptography",
        "JSONRPC", "JSON", "Support", "CGlibc",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),

    .target(
      name: "TestSupport", dependencies: ["JSON", "Policy", "Model", "Support", "CGlibc"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .target(
      name: "TestCertificates", dependencies: ["Cryptography", "COpenSSL"], path: "Tests/TestCertificates",
      swiftSettings: strict),
    tests("Support", ["Support", "TestSupport"]),
    tests("JSON", ["JSON", "TestSupport"]),
    tests("SQLite", ["SQLite", "TestSupport"]),
    tests("Cryptography", ["Cryptography", "TestCertificates", "TestSupport"]),
    tests("Archive", ["Archive", "Support", "TestSupport"]),
    tests("Model", ["Model", "JSON", "TestSupport"]),
    tests("Policy", ["Policy", "Model", "JSON", "Support", "TestSupport"]),
    tests("PhoneLogs", ["PhoneLogs", "Policy", "Model", "JSON", "Support", "TestSupport"]),
    tests("Tenancy", ["Tenancy", "SourceProtocol", "Policy", "Model", "JSON", "TestSupport"]),
    tests("PropertyList", ["PropertyList", "JSON"]),
    tests("Configurator", ["Configurator", "PropertyList", "JSON", "TestSupport"]),
    tests("JSONRPC", ["JSONRPC", "JSON", "Support", "TestSupport"]),
    tests("Vault", ["Vault", "Model", "Cryptography", "Support", "TestSupport"]),
    tests(
      "MAM",
      [
        "MAM", "Vault", "SourceProtocol", "Tenancy", "Policy", "Model", "Cryptography", "SQLite", "JSON", "Support",
        "CGlibc", "TestSupport",
      ]),
    tests(
      "Bridge",
      [
        "Bridge", "MAM", "SourceProtocol", "Tenancy", "Policy", "Model", "JSONRPC", "Cryptography", "JSON", "Support",
        "TestCertificates", "TestSupport",
      ]),
    tests(
      "SourceHost",
      [
        "SourceHost", "MAM", "SourceProtocol", "Tenancy", "Policy", "Model", "Cryptography", "JSON", "Support",
        "TestSupport",
      ]),
    tests("HTTPServer", ["HTTPServer", "Support", "TestSupport"] + nio + usedByNIO),
    tests(
      "Transport", ["Transport", "HTTPServer", "JSONRPC", "JSON", "Support", "CGlibc", "TestSupport"] + nio + usedByNIO),
    tests("HTTP", ["HTTP", "JSON", "Support"]),
    tests(
      "Database",
      [
        "Database", "PostgreSQL", "SQLite", "TenantService", "SourceProtocol", "Tenancy", "HTTP", "JSON", "Support",
        "TestSupport",
      ]),
    tests("PostgreSQL", ["PostgreSQL", "Database", "Support", "TestSupport"]),
    tests(
      "TenantService",
      [
        "TenantService", "SourceProtocol", "Tenancy", "Policy", "Model", "Database", "HTTP", "Cryptography", "JSON",
        "Support", "TestCertificates", "TestSupport",
      ]),
    tests(
      "Development",
      [
        "Development", "TenantService", "SourceProtocol", "Tenancy", "Database", "HTTP", "Cryptography", "JSON",
        "Support", "TestSupport",
      ]),
    tests("ServiceSource", ["ServiceSource", "SourceProtocol", "JSONRPC", "HTTP", "JSON", "Support", "TestSupport"]),
    tests(
      "GraphPull", ["GraphPull", "Tenancy", "Policy", "Model", "HTTP", "JSON", "Support", "TestSupport"]),
    tests(
      "SignIn",
      [
        "SignIn", "GraphPull", "ServiceSource", "SourceProtocol", "HTTP", "Cryptography", "JSON", "Support",
        "TestSupport",
      ]),
    tests("HTTPNetwork", ["HTTPNetwork", "HTTPServer", "HTTP", "Support", "TestCertificates", "TestSupport"]),
    tests("mambridge", ["mambridge", "Bridge", "JSON", "Support", "TestCertificates", "TestSupport"]),
  ]
)

for (room, names) in rooms {
  for target in package.targets where target.path == nil {
    if names.contains(target.name) { target.path = "Sources/\(room)/\(target.name)" }
    if names.contains(where: { "\($0)Tests" == target.name }) { target.path = "Tests/\(room)/\(target.name)" }
  }
}

/// What reads bytes of others. As tests, it replays the corpus; with MAMBRIDGE_FUZZ, which scripts/fuzz sets, it is a
/// program with libFuzzer's `main`.
let fuzzed: [Target.Dependency] = [
  "Configurator", "TenantService", "HTTP", "Bridge", "MAM", "Vault", "SourceProtocol", "Tenancy",
  "PhoneLogs", "Policy", "Model", "PropertyList", "Cryptography", "JSONRPC", "JSON", "Support", "TestSupport",
]
let fuzzFolder = "Tests/FuzzTests"
let fuzzFiles = ["Corpus", "dictionary.txt"]
if Context.environment["MAMBRIDGE_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "Fuzz", dependencies: fuzzed, path: fuzzFolder,
      exclude: fuzzFiles + ["CorpusTests.swift", "Readers/ExpectationReader.swift"], swiftSettings: strict))
} else {
  package.targets.append(
    .testTarget(
      name: "FuzzTests", dependencies: fuzzed + ["mambridge"], path: fuzzFolder, exclude: fuzzFiles,
      swiftSettings: strict + [.define("EXPECTATIONS")]))
}

/// For Benchmarks/ alone: no product of ours needs it.
if Context.environment["MAMBRIDGE_BENCHMARKS"] != nil {
  package.targets.append(
    .executableTarget(
      name: "Benchmark", dependencies: ["MAM", "Vault", "Cryptography", "Model", "Support"],
      path: "Benchmarks/Benchmark",
      swiftSettings: strict))
}

/// Names of test targets, separated by commas: the others are neither built nor run. A build of all tests takes minutes.
if let names = Context.environment["MAMBRIDGE_TESTS"]?.split(separator: ",").map(String.init) {
  package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}
