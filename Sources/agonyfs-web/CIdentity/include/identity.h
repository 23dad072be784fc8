/* X.509 certificates over P-256, made and read by OpenSSL. */

#ifndef AGONYFS_IDENTITY_H
#define AGONYFS_IDENTITY_H

#include <stdint.h>

/* A certificate, and its key if it is known. */
typedef struct identity identity;

typedef enum { identity_certificate_pem, identity_certificate_der, identity_key_pem, identity_key_der } identity_form;

/* A new key, and a certificate for it that is good from yesterday on. `issuer` NULL: it signs itself. `extensions` is a
   section of x509v3_config(5) with the name `extensions`. NULL on failure. */
identity *_Nullable identity_make(
    const identity *_Nullable issuer, const char *_Nonnull common_name, int days, const char *_Nonnull extensions);

/* A certificate and its key, of PEM texts. NULL if one is damaged, or they do not belong together. */
identity *_Nullable identity_read(
    const void *_Nonnull certificate, int certificate_size, const void *_Nonnull key, int key_size);

/* Frees it; the key is overwritten. */
void identity_free(identity *_Nullable one);

/* Gives the bytes of a form to `take`, and overwrites them after. 0 on failure. */
int identity_write(
    const identity *_Nonnull one, identity_form form, void *_Nullable context,
    void (*_Nonnull take)(void *_Nullable context, const uint8_t *_Nonnull bytes, int size));

/* The SHA-256 of the certificate, 32 bytes. 0 on failure. */
int identity_fingerprint(const identity *_Nonnull one, uint8_t *_Nonnull digest);

/* Whether a client that trusts `authority` alone takes `one` for a server. */
int identity_trusts(const identity *_Nonnull authority, const identity *_Nonnull one);

#endif
