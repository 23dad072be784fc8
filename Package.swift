// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Those that tests spend their time in: optimized in debug builds too, with all assertions.
let hot = strict + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

let package = Package(
  name: "agonyfs",
  products: [
    .executable(name: "agonyfs", targets: ["agonyfs"]),
    .executable(name: "agonyfs-decoder", targets: ["agonyfs-decoder"]),
    .executable(name: "agonyfs-guard", targets: ["agonyfs-guard"]),
    .executable(name: "agonyfs-store", targets: ["agonyfs-store"]),
    .executable(name: "agonyfs-unlock", targets: ["agonyfs-unlock"]),
    // For the package in Sources/agonyfs-web.
    .library(name: "WebAccess", targets: ["WebAccess"]),
    .library(name: "Gallery", targets: ["Gallery"]),
    // For tests.
    .library(name: "derivation-cache", type: .dynamic, targets: ["DerivationCache"]),
    .library(name: "early-openssl", type: .dynamic, targets: ["EarlyOpenSSL"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.4.0"),
  ],
  targets: [
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "CUTF8Proc", pkgConfig: "libutf8proc", providers: [.apt(["libutf8proc-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CFuse", pkgConfig: "fuse3", providers: [.apt(["libfuse3-dev"])]),
    .systemLibrary(name: "CVips", pkgConfig: "vips gmodule-2.0", providers: [.apt(["libvips-dev"])]),
    .systemLibrary(
      name: "CLibAV", pkgConfig: "libavformat libavcodec libavutil libswscale",
      providers: [.apt(["libavformat-dev", "libavcodec-dev", "libavutil-dev", "libswscale-dev"])]),
    .systemLibrary(name: "CHeif", pkgConfig: "libheif", providers: [.apt(["libheif-dev"])]),
    .systemLibrary(name: "CZimg", pkgConfig: "zimg", providers: [.apt(["libzimg-dev"])]),
    .systemLibrary(name: "CExempi", pkgConfig: "exempi-2.0", providers: [.apt(["libexempi-dev"])]),
    .systemLibrary(name: "CIPTCData", pkgConfig: "libiptcdata", providers: [.apt(["libiptcdata0-dev"])]),
    .systemLibrary(
      name: "CArchive", pkgConfig: "libarchive zlib", providers: [.apt(["libarchive-dev", "zlib1g-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CSecret", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]),
    .systemLibrary(name: "CFido2", pkgConfig: "libfido2", providers: [.apt(["libfido2-dev"])]),
    .systemLibrary(
      name: "CTSS", pkgConfig: "tss2-esys tss2-mu tss2-tctildr", providers: [.apt(["libtss2-dev"])]),
    .target(name: "CPlatform"),
    .target(name: "CConfine"),
    .target(
      name: "CDecoder",
      dependencies: ["CConfine", "CVips", "CLibAV", "CHeif", "CZimg", "CExempi", "CIPTCData", "CArchive"],
      linkerSettings: [.linkedLibrary("m")]),
    .target(name: "CMount", dependencies: ["CFuse"]),
    .target(name: "CSession"),
    .target(name: "CStore", dependencies: ["CConfine", "CCurl", "CExpat"]),
    .target(name: "CUnlock", dependencies: ["CSecret", "CFido2", "CTSS"]),

    .target(
      name: "System",
      dependencies: ["CPlatform", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: hot),
    .target(name: "Crypto", dependencies: ["CSodium", "COpenSSL", "CUTF8Proc"], swiftSettings: hot),
    .target(
      name: "Storage",
      dependencies: ["System", "CPlatform", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: hot),
    .target(
      name: "Vault",
      dependencies: ["System", "Crypto", "Storage", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: hot),
    .target(
      name: "Index",
      dependencies: ["System", "CSQLite", "Vault"],
      swiftSettings: hot),
    .target(
      name: "Media",
      dependencies: [
        "System", .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: hot),
    .target(name: "Catalog", dependencies: ["System", "Media"], swiftSettings: hot),
    // What import, export and the page have in common: system calls on files, names, albums, reading back.
    .target(
      name: "HostFiles",
      dependencies: [
        "System", "Crypto", "Catalog", "CPlatform", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: hot),
    .target(
      name: "Import",
      dependencies: [
        "System", "Crypto", "Storage", "Media", "Catalog", "HostFiles", "CPlatform",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: hot),
    .target(
      name: "Export",
      dependencies: [
        "System", "Crypto", "HostFiles", "CPlatform", "CZlib",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: hot),
    // A file system, which knows no photos.
    .target(
      name: "Albums",
      dependencies: [
        "System", "Crypto", "Storage", "Vault", "Index", .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: hot),
    // What is known of the photos in it.
    .target(
      name: "Library",
      dependencies: [
        "System", "Crypto", "Vault", "Index", "Media", "Catalog", "Albums",
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: hot),
    .target(
      name: "Mount",
      dependencies: [
        "System", "Crypto", "Albums", "Library", "Index", "Vault", "Storage", "CFuse", "CMount", "CPlatform",
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .target(
      name: "Client",
      dependencies: [
        "System", "Catalog", "CPlatform", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(
      name: "Gallery",
      dependencies: [
        "System", "Crypto", "Client", "Catalog", "HostFiles", "Export", "CPlatform", "CSodium",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(name: "Guard", swiftSettings: strict),
    .target(
      name: "Traces",
      dependencies: [
        "System", "Crypto", "CPlatform", "CZlib", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(
      name: "QuickUnlock",
      dependencies: ["System", "Crypto", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: strict),
    .target(
      name: "UnlockService",
      dependencies: [
        "QuickUnlock", "System", "Crypto", "CUnlock", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    // Names, errors, signatures and messages of object stores, without a network.
    .target(name: "ObjectStore", dependencies: ["System", "Crypto"], swiftSettings: strict),
    // The store on a server, through the helper agonyfs-store.
    .target(
      name: "RemoteStore",
      dependencies: ["System", "ObjectStore", "Catalog", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: strict),
    // Copies vaults as they are stored, without a password.
    .target(
      name: "VaultCopy",
      dependencies: [
        "System", "Storage", "Vault", "ObjectStore", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "agonyfs",
      dependencies: [
        "QuickUnlock", "System", "Mount", "Guard", "Client", "Traces", "Albums", "Library", "Catalog", "HostFiles",
        "Import", "Export", "Media", "Index", "Vault", "VaultCopy", "ObjectStore", "RemoteStore", "Storage", "Crypto",
        "CPlatform", "CSession",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),

    .executableTarget(
      name: "agonyfs-decoder", dependencies: ["System", "Media", "Catalog", "CDecoder"], swiftSettings: strict),

    // D-Bus is loaded here, and never where keys are.
    .executableTarget(
      name: "agonyfs-guard",
      dependencies: [
        "System", "Guard", "CSystemd", "CPlatform", .product(name: "SystemPackage", package: "swift-system"),
      ],
      exclude: ["agonyfs-guard.service"], swiftSettings: strict),
    // HTTP, TLS and XML are here, and never where keys are.
    .executableTarget(
      name: "agonyfs-store", dependencies: ["System", "ObjectStore", "CStore"], swiftSettings: strict),
    .executableTarget(
      name: "agonyfs-unlock", dependencies: ["UnlockService", "System"], swiftSettings: strict),

    .target(name: "WebAccess", dependencies: ["System", "Crypto", "CPlatform"], swiftSettings: strict),

    .target(
      name: "FaultyStorage",
      dependencies: [
        "System", "Storage", "Vault", "Crypto", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/FaultyStorage", swiftSettings: hot),
    .target(
      name: "TestSupport",
      dependencies: ["System", "Crypto", .product(name: "SystemPackage", package: "swift-system")],
      path: "Tests/Support", swiftSettings: hot),
    .testTarget(
      name: "TestSupportTests", dependencies: ["System", "TestSupport"], path: "Tests/SupportTests",
      swiftSettings: strict),
    .executableTarget(
      name: "system-attempts", dependencies: ["System"], path: "Tests/SystemAttempts", swiftSettings: strict),
    .testTarget(
      name: "SystemTests",
      dependencies: [
        "System", "TestSupport", "system-attempts", .product(name: "SystemPackage", package: "swift-system"),
      ],
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
    .testTarget(
      name: "WebAccessTests",
      dependencies: [
        "WebAccess", "System", "TestSupport", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .testTarget(name: "CatalogTests", dependencies: ["Catalog", "Media", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "HostFilesTests",
      dependencies: [
        "HostFiles", "System", "TestSupport", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ImportTests",
      dependencies: [
        "Import", "HostFiles", "Catalog", "Media", "System", "Crypto", "CPlatform", "TestSupport", "agonyfs-decoder",
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ExportTests",
      dependencies: [
        "Export", "HostFiles", "System", "Crypto", "CPlatform", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "GalleryTests",
      dependencies: [
        "Gallery", "Client", "HostFiles", "Export", "Catalog", "System", "Crypto", "CPlatform", "TestSupport",
        "agonyfs", "agonyfs-decoder", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "TracesTests",
      dependencies: [
        "Traces", "System", "CZlib", "TestSupport", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "catalog-bench", dependencies: ["Catalog", "Import", "Media", "TestSupport"], path: "Tests/CatalogBench",
      swiftSettings: strict),
    .executableTarget(
      name: "catalog-space-bench",
      dependencies: [
        "System", "CPlatform", "Catalog", "Crypto", "Media", "Index", "Albums", "Library", "Vault", "Storage",
        "TestSupport",
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/CatalogSpaceBench", swiftSettings: strict),
    .target(
      name: "AlbumsSupport",
      dependencies: [
        "Albums", "Library", "Media", "Index", "Vault", "Storage", "Crypto", "FaultyStorage", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/AlbumsSupport", swiftSettings: strict),
    .testTarget(
      name: "AlbumsTests",
      dependencies: [
        "System", "Albums", "Library", "Media", "Index", "Vault", "Storage", "Crypto", "CSodium", "AlbumsSupport",
        "FaultyStorage", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "LibraryTests",
      dependencies: [
        "System", "Library", "Albums", "Catalog", "Media", "Index", "Vault", "AlbumsSupport", "FaultyStorage",
        "TestSupport",
      ],
      swiftSettings: strict),
    .target(
      name: "CVirtualToken", dependencies: ["CUnlock", "CFido2"], path: "Tests/VirtualToken", exclude: ["token.py"]),
    .executableTarget(
      name: "unlock-with-virtual-token", dependencies: ["CVirtualToken", "UnlockService", "System"],
      path: "Tests/UnlockWithToken", swiftSettings: strict),
    .target(name: "DerivationCache", path: "Tests/DerivationCache", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "EarlyOpenSSL", dependencies: ["COpenSSL"], path: "Tests/EarlyOpenSSL"),
    .executableTarget(name: "map-writer", path: "Tests/MapWriter", swiftSettings: strict),
    .testTarget(
      name: "MountTests",
      dependencies: [
        "System", "Mount", "CMount", "CPlatform", "Albums", "Library", "Catalog", "Media", "Index", "Vault",
        "Storage", "Crypto", "FaultyStorage", "map-writer", "TestSupport",
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
        "System", "Media", "Catalog", "agonyfs-decoder", "misbehaving-decoder", "confined-attempts", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"), .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "System", "QuickUnlock", "agonyfs", "agonyfs-guard", "agonyfs-store", "agonyfs-unlock",
        "unlock-with-virtual-token", "Client", "Catalog", "map-writer", "ObjectStore", "VaultCopy", "Vault", "Storage",
        "FaultyStorage", "TestSupport",
      ],
      swiftSettings: strict),
    .target(
      name: "FaultyObjects", dependencies: ["ObjectStore", "Crypto", "TestSupport"], path: "Tests/FaultyObjects",
      swiftSettings: strict),
    .testTarget(
      name: "ObjectStoreTests", dependencies: ["ObjectStore", "FaultyObjects", "Crypto", "System", "TestSupport"],
      swiftSettings: strict),
    .executableTarget(name: "store-attempts", dependencies: ["CStore"], path: "Tests/StoreAttempts"),
    .testTarget(
      name: "RemoteStoreTests",
      dependencies: ["RemoteStore", "ObjectStore", "System", "TestSupport", "agonyfs-store", "store-attempts"],
      swiftSettings: strict),
    .testTarget(
      name: "VaultCopyTests",
      dependencies: [
        "VaultCopy", "ObjectStore", "FaultyObjects", "FaultyStorage", "Storage", "Vault", "Crypto", "System", "Albums",
        "AlbumsSupport", "Library", "TestSupport", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .testTarget(name: "GuardTests", dependencies: ["Guard"], swiftSettings: strict),
    .testTarget(name: "ScriptTests", dependencies: ["System", "TestSupport"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
