#ifndef AGONYFS_VIRTUAL_TOKEN_H
#define AGONYFS_VIRTUAL_TOKEN_H

/// Has CUnlock use the token that token.py serves on a Unix socket, and no other.
void agonyfs_use_virtual_token(const char *path);

#endif
