// SQLite over the log.
