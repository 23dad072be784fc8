/// Why the server cannot start: a sentence for standard error, and one of agonyfs' exit statuses.
package struct Failure: Error {
  package let status: Int32
  package let message: String

  package init(_ message: String, status: Int32 = 1) { (self.status, self.message) = (status, message) }
}
