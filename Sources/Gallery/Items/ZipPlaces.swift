internal import Synchronization

/// Limits the archives that are read at the same time. Each needs a thread and an open photo.
public final class ZipPlaces: Sendable {
  /// A permit to read one archive, which is returned when the object is released.
  public final class Place: Sendable {
    private let places: ZipPlaces

    fileprivate init(_ places: ZipPlaces) { self.places = places }

    deinit { places.taken.withLock { $0 -= 1 } }
  }

  private let taken = Mutex(0)
  private let most: Int

  /// Permits `most` archives at the same time.
  public init(most: Int = 4) { self.most = most }

  /// Takes a permit.
  ///
  /// - Throws: `.busy` if all are taken.
  public func take() throws(GalleryError) -> Place {
    let isFree = taken.withLock { taken in
      guard taken < most else { return false }
      taken += 1
      return true
    }
    guard isFree else {
      throw GalleryError(.busy, "\(most) archives are being saved already; wait until one of them is complete.")
    }
    return Place(self)
  }
}
