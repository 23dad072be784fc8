#ifndef AGONYFS_UNLOCK_H
#define AGONYFS_UNLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A token that libfido2 has open.
struct fido_dev;

/// The outcome of a request. The numbers are those of `UnlockStatus`.
enum agonyfs_unlock_status {
    AGONYFS_UNLOCK_DONE = 0,
    AGONYFS_UNLOCK_UNAVAILABLE = 1,   ///< No service, token or TPM answers.
    AGONYFS_UNLOCK_LOCKED = 2,        ///< The keyring was not unlocked.
    AGONYFS_UNLOCK_GONE = 3,          ///< The secret is not there, or not any more.
    AGONYFS_UNLOCK_NEEDS_PIN = 4,     ///< The request needs the PIN; send it again with one.
    AGONYFS_UNLOCK_WRONG_PIN = 5,     ///< The PIN is wrong, or the token does not know the finger.
    AGONYFS_UNLOCK_BLOCKED = 6,       ///< The token or TPM is blocked after too many wrong PINs.
    AGONYFS_UNLOCK_CANCELLED = 7,     ///< The user did not touch the token in time.
    AGONYFS_UNLOCK_UNSUPPORTED = 8,   ///< The token lacks a needed feature.
    AGONYFS_UNLOCK_FAILED = 9,        ///< Any other failure.
    AGONYFS_UNLOCK_TOUCH = 10,        ///< The token waits for a touch; another status follows.
    AGONYFS_UNLOCK_SEVERAL = 11,      ///< More than one token may hold the key.
};

/// The sizes of a secret, and of the number that identifies an item of the keyring, in bytes.
#define AGONYFS_UNLOCK_SECRET_SIZE 32
#define AGONYFS_UNLOCK_ITEM_SIZE 16

/// The longest PIN, in bytes: what FIDO2 allows.
#define AGONYFS_UNLOCK_PIN_LIMIT 63
/// The longest handle of a credential, in bytes.
#define AGONYFS_UNLOCK_CREDENTIAL_LIMIT 1024
/// The longest sealed object, in bytes.
#define AGONYFS_UNLOCK_SEALED_LIMIT 2048

/// Stores a secret in the default collection of the Secret Service, as hexadecimal digits. It may ask the user to
/// unlock the collection, and returns after the answer. libsecret keeps copies in memory that it does not lock.
int agonyfs_keyring_store(const uint8_t *item, const uint8_t *secret);

/// Gets a stored secret.
int agonyfs_keyring_find(const uint8_t *item, uint8_t *secret);

/// Deletes a stored secret.
int agonyfs_keyring_delete(const uint8_t *item);

/// The input from which a token computes a secret.
struct agonyfs_token_key {
    uint8_t salt[AGONYFS_UNLOCK_SECRET_SIZE];
    bool verified;  ///< Whether the token verifies the user, by PIN or finger, for this key.
    bool hidden;    ///< Whether the token denies its credential until it has verified the user.
    uint8_t credential[AGONYFS_UNLOCK_CREDENTIAL_LIMIT];
    size_t credential_size;  ///< 0 for a credential that the token finds without a handle.
};

/// Finds the token that holds the credential of a key, without touch or PIN; if `key` is NULL, the token that can make
/// a key. On success the caller must pass it to agonyfs_token_make or agonyfs_token_get, which close it. `detail`
/// becomes the number of tokens that were seen.
int agonyfs_token_find(
    const struct agonyfs_token_key *key, bool has_pin, struct fido_dev **token, uint32_t *detail
);

/// Makes a credential on a token for a user number of AGONYFS_UNLOCK_SECRET_SIZE bytes, and lets the token compute a
/// secret from `key->salt`; sets the rest of the key. The user touches the token twice. `pin` may be NULL. `detail`
/// becomes libfido2's error.
int agonyfs_token_make(
    struct fido_dev *token, struct agonyfs_token_key *key, const uint8_t *user, bool resident, const char *pin,
    uint8_t *secret, uint32_t *detail
);

/// Lets the token compute a secret again. If the credential is gone, `detail` is not changed.
int agonyfs_token_get(
    struct fido_dev *token, const struct agonyfs_token_key *key, const char *pin, uint8_t *secret, uint32_t *detail
);

/// Uses libfido2 with these transport functions (a `fido_dev_io_t`) and the tokens at these paths instead of the
/// machine's. The caller must keep both valid.
void agonyfs_token_use(const void *functions, const char *const *paths, size_t count);

/// Seals a secret to the TPM, with a PIN unless that is empty. `record` has room for AGONYFS_UNLOCK_SEALED_LIMIT bytes.
/// AGONYFS_TPM in the environment names the TPM as tpm2-tss does (TCTI); the default is the machine's TPM.
int agonyfs_tpm_seal(
    const uint8_t *secret, const uint8_t *pin, size_t pin_size, uint8_t *record, size_t *record_size, uint32_t *detail
);

/// Gets a sealed secret.
int agonyfs_tpm_unseal(
    const uint8_t *record, size_t record_size, const uint8_t *pin, size_t pin_size, uint8_t *secret, uint32_t *detail
);

#endif
