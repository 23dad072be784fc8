internal import Synchronization

/// Counts the archives that are read at a time, each of which has a thread and an open photo.
public final class ZipPlaces: Sendable {
  /// Lets one more archive be read when it goes.
  public final class Place: Sendable {
    private let places: ZipPlaces

    fileprivate init(_ places: ZipPlaces) { self.places = places }

    deinit { places.taken.withLock { $0 -= 1 } }
  }

  private let taken = Mutex(0)
  private let most: Int

  /// Lets so many be read at a time.
  public init(most: Int = 4) { self.most = most }

  /// Takes one of the places.
  ///
  /// - Throws: `.busy` if all are taken.
  public func take() throws(GalleryError) -> Place {
    let isFree = taken.withLock { taken in
      guard taken < most else { return false }
      taken += 1
      return true
    }
    guard isFree else {
      throw GalleryError(.busy, "\(most) archives are being saved already; wait until one of them is done.")
    }
    return Place(self)
  }
}
