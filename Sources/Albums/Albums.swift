// The file system over an index and a log.
