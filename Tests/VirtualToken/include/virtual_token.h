#ifndef AGONYFS_VIRTUAL_TOKEN_H
#define AGONYFS_VIRTUAL_TOKEN_H

/// Has CUnlock use the tokens that token.py serves on Unix sockets, and no others. The paths are separated by colons; where
/// there is no socket, no token is connected.
void agonyfs_use_virtual_tokens(const char *paths);

#endif
