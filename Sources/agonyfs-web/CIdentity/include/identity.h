/* X.509 certificates for P-256 keys, by OpenSSL. */

#ifndef AGONYFS_IDENTITY_H
#define AGONYFS_IDENTITY_H

#include <stdint.h>

/* A certificate, and its key if it is known. */
typedef struct identity identity;

typedef enum { identity_certificate_pem, identity_certificate_der, identity_key_pem, identity_key_der } identity_form;

/* A new key with a certificate that is valid from yesterday. If `issuer` is NULL, it signs itself. `extensions` is a
   section of x509v3_config(5) with the name `extensions`. NULL on failure. */
identity *_Nullable identity_make(
    const identity *_Nullable issuer, const char *_Nonnull common_name, int days, const char *_Nonnull extensions);

/* Reads a certificate and its key from PEM texts. NULL if one is damaged, or if they do not belong together. */
identity *_Nullable identity_read(
    const void *_Nonnull certificate, int certificate_size, const void *_Nonnull key, int key_size);

/* Frees the identity, and overwrites the key. */
void identity_free(identity *_Nullable one);

/* Passes the bytes of a form to `take`, and overwrites them afterwards. 0 on failure. */
int identity_write(
    const identity *_Nonnull one, identity_form form, void *_Nullable context,
    void (*_Nonnull take)(void *_Nullable context, const uint8_t *_Nonnull bytes, int size));

/* The SHA-256 of the certificate, 32 bytes. 0 on failure. */
int identity_fingerprint(const identity *_Nonnull one, uint8_t *_Nonnull digest);

/* Whether a client that trusts only `authority` accepts `one` for a server. */
int identity_trusts(const identity *_Nonnull authority, const identity *_Nonnull one);

#endif
