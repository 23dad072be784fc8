// FUSE.
