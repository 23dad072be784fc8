// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that building the mount neither fetches nor builds the dependencies of the web server. Its
// build folder is `.build/web` of the root: see `scripts/agonyfs`.

let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

// SwiftPM names a local package after its folder.
let folder = Context.packageDirectory.split(separator: "/").dropLast(2).last.map(String.init) ?? ""
let root = folder.hasSuffix(".git") ? String(folder.dropLast(4)) : folder
// Avoids ambiguity: SwiftNIO imports a module `System` if there is one, and swift-crypto, an optional dependency, has a
// `Crypto`.
let aliases = ["System": "AgonySystem", "Crypto": "AgonyCrypto"]

let package = Package(
  name: "agonyfs-web",
  products: [.executable(name: "agonyfs-web", targets: ["agonyfs-web"])],
  // Pinned to tested minor versions, because this code listens to the network: updates need a review.
  dependencies: [
    .package(path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.2")),
    .package(url: "https://github.com/apple/swift-http-types", .upToNextMinor(from: "1.8.0")),
    .package(url: "https://github.com/apple/swift-log", .upToNextMinor(from: "1.16.2")),
    .package(url: "https://github.com/apple/swift-nio", .upToNextMinor(from: "2.101.2")),
    .package(url: "https://github.com/apple/swift-nio-extras", .upToNextMinor(from: "1.35.2")),
    .package(url: "https://github.com/apple/swift-nio-ssl", .upToNextMinor(from: "2.37.6")),
    .package(url: "https://github.com/hummingbird-project/hummingbird", .upToNextMinor(from: "2.28.1")),
  ],
  targets: [
    .systemLibrary(name: "CQRCode", path: "CQRCode", pkgConfig: "qrcodegen", providers: [.apt(["libqrcodegen-dev"])]),
    .target(name: "CIdentity", path: "CIdentity", linkerSettings: [.linkedLibrary("crypto")]),
    .target(
      name: "Identity", dependencies: ["CIdentity", .product(name: "NIOSSL", package: "swift-nio-ssl")],
      path: "Identity", swiftSettings: strict),
    .executableTarget(
      name: "agonyfs-web",
      dependencies: [
        "CQRCode", "Identity",
        .product(name: "WebAccess", package: root, moduleAliases: aliases),
        .product(name: "Gallery", package: root, moduleAliases: aliases),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      path: ".",
      exclude: ["CIdentity", "CQRCode", "Identity"],
      sources: ["Server", "Gallery"],
      resources: [.embedInCode("Page")],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
