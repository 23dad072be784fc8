// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "agonyfs",
  products: [
    .executable(name: "agonyfs", targets: ["agonyfs"]),
    .executable(name: "agonyfs-decoder", targets: ["agonyfs-decoder"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.4.0"),
  ],
  targets: [
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CFuse", pkgConfig: "fuse3", providers: [.apt(["libfuse3-dev"])]),
    .systemLibrary(name: "CVips", pkgConfig: "vips gmodule-2.0", providers: [.apt(["libvips-dev"])]),
    .systemLibrary(
      name: "CLibAV", pkgConfig: "libavformat libavcodec libavutil libswscale",
      providers: [.apt(["libavformat-dev", "libavcodec-dev", "libavutil-dev", "libswscale-dev"])]),
    .target(name: "CPlatform"),
    .target(name: "CDecoder", dependencies: ["CVips", "CLibAV"], linkerSettings: [.linkedLibrary("m")]),
    .target(name: "CMount", dependencies: ["CFuse"]),

    .target(
      name: "System",
      dependencies: ["CPlatform", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: strict),
    .target(name: "Crypto", dependencies: ["CSodium", "COpenSSL"], swiftSettings: strict),
    .target(
      name: "Storage",
      dependencies: ["System", "CPlatform", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: strict),
    .target(
      name: "Vault",
      dependencies: ["System", "Crypto", "Storage", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: strict),
    .target(
      name: "Index",
      dependencies: ["System", "CSQLite", "Vault"],
      swiftSettings: strict),
    .target(
      name: "Media",
      dependencies: [
        "System", .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .target(name: "Catalog", dependencies: ["Media"], swiftSettings: strict),
    .target(
      name: "Albums",
      dependencies: [
        "System", "Crypto", "Vault", "Index", "Media",
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .target(
      name: "Mount",
      dependencies: [
        "System", "Albums", "Index", "Vault", "Storage", "CFuse", "CMount", "CPlatform",
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "agonyfs",
      dependencies: [
        "System", "Mount", "Albums", "Media", "Vault", "Storage", "Crypto", "CPlatform",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),

    .executableTarget(name: "agonyfs-decoder", dependencies: ["System", "Media", "CDecoder"], swiftSettings: strict),

    .target(
      name: "FaultyStorage",
      dependencies: ["System", "Storage", "Vault", "Crypto", .product(name: "SystemPackage", package: "swift-system")],
      path: "Tests/FaultyStorage", swiftSettings: strict),
    .target(
      name: "TestSupport",
      dependencies: ["System", "Crypto", .product(name: "SystemPackage", package: "swift-system")],
      path: "Tests/Support", swiftSettings: strict),
    .testTarget(
      name: "TestSupportTests", dependencies: ["System", "TestSupport"], path: "Tests/SupportTests",
      swiftSettings: strict),
    .testTarget(
      name: "SystemTests",
      dependencies: ["System", "TestSupport", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: strict),
    .testTarget(name: "CryptoTests", dependencies: ["Crypto", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "StorageTests",
      dependencies: [
        "System", "Storage", "FaultyStorage", "TestSupport", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "VaultTests",
      dependencies: [
        "System", "Vault", "Crypto", "Storage", "FaultyStorage", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      exclude: ["Vectors"], swiftSettings: strict),
    .testTarget(
      name: "IndexTests", dependencies: ["Index", "Vault", "Storage", "Crypto", "FaultyStorage", "TestSupport"],
      swiftSettings: strict),
    .testTarget(name: "CatalogTests", dependencies: ["Catalog", "Media"], swiftSettings: strict),
    .executableTarget(
      name: "catalog-bench", dependencies: ["Catalog", "Media"], path: "Tests/CatalogBench", swiftSettings: strict),
    .testTarget(
      name: "AlbumsTests",
      dependencies: [
        "System", "Albums", "Media", "Index", "Vault", "Storage", "Crypto", "CSodium", "FaultyStorage", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MountTests",
      dependencies: [
        "System", "Mount", "CMount", "Albums", "Vault", "Storage", "Crypto", "FaultyStorage", "TestSupport",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .executableTarget(name: "confined-attempts", dependencies: ["CDecoder"], path: "Tests/ConfinedAttempts"),
    .executableTarget(
      name: "misbehaving-decoder", dependencies: ["System", "Media"], path: "Tests/MisbehavingDecoder",
      swiftSettings: strict),
    .testTarget(
      name: "MediaTests",
      dependencies: [
        "System", "Media", "agonyfs-decoder", "misbehaving-decoder", "confined-attempts", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"), .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .executableTarget(name: "map-writer", path: "Tests/MapWriter", swiftSettings: strict),
    .testTarget(
      name: "CommandTests",
      dependencies: ["System", "agonyfs", "map-writer", "Storage", "FaultyStorage", "TestSupport"],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
