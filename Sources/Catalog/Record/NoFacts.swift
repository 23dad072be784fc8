/// The reason why the door cannot give facts about a file, as it reports it.
package enum NoFacts: String, CaseIterable {
  case directory = "This is a directory"
  case noPhoto = "This is neither a photo nor a video"
  case notExamined = "This file was not examined yet"
  case gone = "There is no such photo or video, or it was not examined yet"
  case closed = "This file may not be read"
}
