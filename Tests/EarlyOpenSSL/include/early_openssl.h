// Loaded into the program under test by LD_PRELOAD: a library that uses OpenSSL before the program runs, as some on other systems
// do.
