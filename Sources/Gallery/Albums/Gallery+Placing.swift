internal import Client
internal import Glibc
internal import HostFiles
internal import System
internal import SystemPackage

extension Gallery {
  /// Opens an album. `makes`: whether to create missing albums on its path.
  func openAlbum(_ path: SpacePath, makes: Bool) throws(GalleryError) -> Descriptor {
    do throws(Errno) {
      do throws(Errno) {
        return try root.directory(path.bytes)
      } catch .noSuchFileOrDirectory where makes {}
      var whole: [UInt8] = []
      var album = root.descriptor
      for part in path.parts {
        try calls.makeDirectory(part, in: album)
        whole += (whole.isEmpty ? [] : [UInt8(ascii: "/")]) + part
        album = try root.directory(whole)
      }
      return album
    } catch {
      throw GalleryError(error, "The album")
    }
  }

  /// Calls `body` with `name.ext`, `name (2).ext`, … until one is free, and returns that name.
  func placing(_ name: [UInt8], _ body: (_ free: [UInt8]) throws(Errno) -> Void) throws(GalleryError) -> [UInt8] {
    for number in 1...FreeNames.most {
      let free = FreeNames.name(name, number: number)
      do throws(Errno) {
        try body(free)
        return free
      } catch .fileExists {
        continue
      } catch {
        throw GalleryError(error, "The file")
      }
    }
    throw GalleryError(.conflict, "Too many files in the album have this name.")
  }
}
