#ifndef AGONYFS_UNLOCK_H
#define AGONYFS_UNLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A token that libfido2 has open.
struct fido_dev;

/// What became of a request. The numbers are those of `UnlockStatus`.
enum agonyfs_unlock_status {
    AGONYFS_UNLOCK_DONE = 0,
    AGONYFS_UNLOCK_UNAVAILABLE = 1,   ///< There is no service, token or TPM.
    AGONYFS_UNLOCK_LOCKED = 2,        ///< The keyring stays locked.
    AGONYFS_UNLOCK_GONE = 3,          ///< It does not have the secret, or not any more.
    AGONYFS_UNLOCK_NEEDS_PIN = 4,     ///< To be asked again, with the PIN.
    AGONYFS_UNLOCK_WRONG_PIN = 5,     ///< Or a finger that the token does not know.
    AGONYFS_UNLOCK_BLOCKED = 6,       ///< After too many wrong PINs.
    AGONYFS_UNLOCK_CANCELLED = 7,     ///< Nobody touched the token.
    AGONYFS_UNLOCK_UNSUPPORTED = 8,   ///< The token cannot do what is needed.
    AGONYFS_UNLOCK_FAILED = 9,        ///< Anything else.
    AGONYFS_UNLOCK_TOUCH = 10,        ///< To be touched now; another status follows.
    AGONYFS_UNLOCK_SEVERAL = 11,      ///< More than one token comes into question.
};

/// Bytes of a secret, and of the number that an item of the keyring is found by.
#define AGONYFS_UNLOCK_SECRET_SIZE 32
#define AGONYFS_UNLOCK_ITEM_SIZE 16

/// The longest PIN, in bytes: what FIDO2 allows.
#define AGONYFS_UNLOCK_PIN_LIMIT 63
/// The longest handle of a credential, in bytes.
#define AGONYFS_UNLOCK_CREDENTIAL_LIMIT 1024
/// The longest sealed object, in bytes.
#define AGONYFS_UNLOCK_SEALED_LIMIT 2048

/// Stores a secret in the default collection of the Secret Service, as hexadecimal digits. It may ask the person to unlock
/// that, and returns when it is answered. libsecret keeps copies in memory that it does not lock.
int agonyfs_keyring_store(const uint8_t *item, const uint8_t *secret);

/// Gets a secret that was stored.
int agonyfs_keyring_find(const uint8_t *item, uint8_t *secret);

/// Deletes a secret that was stored.
int agonyfs_keyring_delete(const uint8_t *item);

/// What a token computes a secret from.
struct agonyfs_token_key {
    uint8_t salt[AGONYFS_UNLOCK_SECRET_SIZE];
    bool verified;  ///< Whether the token knows the person, by PIN or finger, when it computes.
    bool hidden;    ///< Whether the token denies that it has the credential until it knows the person.
    uint8_t credential[AGONYFS_UNLOCK_CREDENTIAL_LIMIT];
    size_t credential_size;  ///< 0 for a credential that the token finds by itself.
};

/// Finds the token that holds the credential of a key, without touch or PIN; or the one that can make a key, if `key` is
/// NULL. On success it is to be given to agonyfs_token_make or agonyfs_token_get, which close it. `detail` becomes the
/// number of tokens that were seen.
int agonyfs_token_find(
    const struct agonyfs_token_key *key, bool has_pin, struct fido_dev **token, uint32_t *detail
);

/// Makes a credential on a token for a user number of AGONYFS_UNLOCK_SECRET_SIZE bytes, and has it compute a secret from
/// `key->salt`; sets the rest of the key. The person touches the token twice. `pin` may be NULL. `detail` becomes
/// libfido2's error.
int agonyfs_token_make(
    struct fido_dev *token, struct agonyfs_token_key *key, const uint8_t *user, bool resident, const char *pin,
    uint8_t *secret, uint32_t *detail
);

/// Has the token compute a secret again. `detail` stays if that is gone.
int agonyfs_token_get(
    struct fido_dev *token, const struct agonyfs_token_key *key, const char *pin, uint8_t *secret, uint32_t *detail
);

/// Uses libfido2's functions for the transport (a `fido_dev_io_t`) and the tokens at these paths instead of the machine's.
/// All must stay.
void agonyfs_token_use(const void *functions, const char *const *paths, size_t count);

/// Seals a secret to the TPM, with a PIN if that is not empty. `record` has room for AGONYFS_UNLOCK_SEALED_LIMIT bytes.
/// AGONYFS_TPM in the environment names the TPM as tpm2-tss does (TCTI); by default it is that of the machine.
int agonyfs_tpm_seal(
    const uint8_t *secret, const uint8_t *pin, size_t pin_size, uint8_t *record, size_t *record_size, uint32_t *detail
);

/// Gets a secret that was sealed.
int agonyfs_tpm_unseal(
    const uint8_t *record, size_t record_size, const uint8_t *pin, size_t pin_size, uint8_t *secret, uint32_t *detail
);

#endif
