import TestSupport
import Testing

/// `scripts/agonyfs` in a clone of its own, with a compiler that makes programs which say how they were called.
@Suite struct BuildingOnceTests {
  /// Nothing is missing on this machine.
  private static let query = "#!/bin/sh\nprintf installed\n"

  /// Notes what it builds. As SwiftPM does, it writes the versions of what agonyfs-web needs beside the package, which is
  /// long after the build began here.
  private static let compiler = """
    #!/bin/sh
    scratch= package= product=
    while [ $# -gt 0 ]; do
      case $1 in
      --package-path) package=$2 scratch=${scratch:-$2/.build} ;;
      --scratch-path) scratch=$2 ;;
      --product) product=$2 ;;
      esac
      shift
    done
    echo "$product" >>"$BUILT"
    mkdir -p "$scratch/release"
    printf '#!/bin/sh\\necho "$*"\\n' >"$scratch/release/$product"
    chmod 755 "$scratch/release/$product"
    if [ "$product" = agonyfs-web ]; then
      echo versions >"$package/Package.resolved"
      touch -d 2100-01-01 "$package/Package.resolved" "$package"
    fi
    """

  private let folder: TemporaryFolder
  private let root: String

  init() throws {
    folder = try TemporaryFolder()
    root = folder.path("clone")
    let scripts = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/scripts"
    for directory in [
      "programs", "clone", "clone/Sources", "clone/Sources/agonyfs-web", "clone/Sources/agonyfs-web/Server",
    ] {
      try folder.makeDirectory(directory)
    }
    try folder.write(Self.query, to: "programs/dpkg-query")
    try folder.write(Self.compiler, to: "programs/swift")
    for name in [
      "clone/Package.swift", "clone/Sources/agonyfs-web/Package.swift", "clone/Sources/agonyfs-web/Server/A.swift",
    ] {
      try folder.write("", to: name)
    }
    try prepare("chmod 755 '\(folder.path("programs"))'/*; cp -r '\(scripts)' scripts")
    // The source is older than any build.
    try prepare("find . -exec touch -d 2020-01-01 {} +")
  }

  private func prepare(_ commands: String) throws {
    let outcome = try Outcome("/bin/sh", arguments: ["-ec", "cd '\(root)'; \(commands)"])
    #expect(outcome.status == 0, "\(outcome)")
  }

  /// What is built when somebody calls the script with these words.
  private func built(by words: String) throws -> [Substring] {
    let script = """
      : >'\(folder.path("built"))'
      BUILT='\(folder.path("built"))' PATH='\(folder.path("programs"))':"$PATH" '\(root)/scripts/agonyfs' \(words) >&2
      cat '\(folder.path("built"))'
      """
    let outcome = try Outcome("/bin/sh", arguments: ["-ec", script])
    #expect(outcome.status == 0 && outcome.errors.hasSuffix(words + "\n"), "\(outcome)")
    return outcome.output.split(separator: "\n")
  }

  @Test func eachProgramIsBuiltOnceAndAgainWhenItsSourceChanged() throws {
    let programs: [Substring] = ["agonyfs", "agonyfs-decoder", "agonyfs-guard", "agonyfs-store", "agonyfs-unlock"]
    #expect(try built(by: "list") == programs)
    #expect(try built(by: "serve Vault") == ["agonyfs-web"])
    #expect(try built(by: "serve Vault") == [])
    #expect(try built(by: "list") == [])
    for changed in ["Package.swift", "Server/A.swift", "Server"] {
      let path = "Sources/agonyfs-web/\(changed)"
      try prepare("touch -d 2100-01-01 \(path)")
      #expect(try built(by: "serve Vault") == ["agonyfs-web"], "\(changed)")
      try prepare("touch -d 2020-01-01 \(path)")
      #expect(try built(by: "serve Vault") == [], "\(changed)")
    }
    try prepare("touch -d 2100-01-01 Package.swift")
    #expect(try built(by: "serve Vault") == programs + ["agonyfs-web"])
  }
}
