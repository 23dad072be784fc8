// A secret that a FIDO2 token computes from a salt, with the extension hmac-secret.
//
// Invariants
// 1. The token gives other secrets with and without verification of the person. What a key was made with is in its
//    record, and used each time.
#include "unlock.h"

#include <fido.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char party[] = "agonyfs";
/// Tokens that are looked at.
#define MOST_TOKENS 16

static const fido_dev_io_t *transport;
static const char *transport_path;

void agonyfs_token_use(const void *functions, const char *path) {
    transport = functions;
    transport_path = path;
}

static int status_of(int error) {
    switch (error) {
        case FIDO_OK: return AGONYFS_UNLOCK_DONE;
        case FIDO_ERR_PIN_INVALID:
        case FIDO_ERR_PIN_AUTH_INVALID:
        case FIDO_ERR_UV_INVALID: return AGONYFS_UNLOCK_WRONG_PIN;
        case FIDO_ERR_PIN_BLOCKED:
        case FIDO_ERR_PIN_AUTH_BLOCKED:
        case FIDO_ERR_UV_BLOCKED: return AGONYFS_UNLOCK_BLOCKED;
        case FIDO_ERR_PIN_REQUIRED: return AGONYFS_UNLOCK_NEEDS_PIN;
        case FIDO_ERR_NO_CREDENTIALS:
        case FIDO_ERR_INVALID_CREDENTIAL: return AGONYFS_UNLOCK_GONE;
        case FIDO_ERR_OPERATION_DENIED:
        case FIDO_ERR_KEEPALIVE_CANCEL:
        case FIDO_ERR_USER_ACTION_TIMEOUT:
        case FIDO_ERR_ACTION_TIMEOUT: return AGONYFS_UNLOCK_CANCELLED;
        case FIDO_ERR_UNSUPPORTED_EXTENSION:
        case FIDO_ERR_UNSUPPORTED_OPTION: return AGONYFS_UNLOCK_UNSUPPORTED;
        case FIDO_ERR_TX:
        case FIDO_ERR_RX: return AGONYFS_UNLOCK_UNAVAILABLE;
        default: return AGONYFS_UNLOCK_FAILED;
    }
}

static fido_dev_t *open_at(const char *path) {
    fido_dev_t *token = fido_dev_new();
    if (!token) return NULL;
    if ((transport && fido_dev_set_io_functions(token, transport) != FIDO_OK) || fido_dev_open(token, path) != FIDO_OK) {
        fido_dev_free(&token);
        return NULL;
    }
    return token;
}

static void close_token(fido_dev_t *token) {
    fido_dev_close(token);
    fido_dev_free(&token);
}

static bool has_extension(fido_dev_t *token) {
    fido_cbor_info_t *info = fido_cbor_info_new();
    bool found = false;
    if (info && fido_dev_is_fido2(token) && fido_dev_get_cbor_info(token, info) == FIDO_OK) {
        char **names = fido_cbor_info_extensions_ptr(info);
        for (size_t i = 0; i < fido_cbor_info_extensions_len(info); i++) {
            if (strcmp(names[i], "hmac-secret") == 0) found = true;
        }
    }
    fido_cbor_info_free(&info);
    return found;
}

/// The first token that can be opened, if it has the extension.
static int open_token(fido_dev_t **token) {
    fido_init(0);
    *token = NULL;
    if (transport) {
        *token = open_at(transport_path);
        if (!*token) return AGONYFS_UNLOCK_UNAVAILABLE;
    } else {
        fido_dev_info_t *list = fido_dev_info_new(MOST_TOKENS);
        size_t count = 0;
        if (list && fido_dev_info_manifest(list, MOST_TOKENS, &count) == FIDO_OK) {
            for (size_t i = 0; i < count && !*token; i++) {
                *token = open_at(fido_dev_info_path(fido_dev_info_ptr(list, i)));
            }
        }
        fido_dev_info_free(&list, MOST_TOKENS);
        if (!*token) return AGONYFS_UNLOCK_UNAVAILABLE;
    }
    if (has_extension(*token)) return AGONYFS_UNLOCK_DONE;
    close_token(*token);
    *token = NULL;
    return AGONYFS_UNLOCK_UNSUPPORTED;
}

static int assert_secret(
    fido_dev_t *token, const struct agonyfs_token_key *key, const char *pin, uint8_t *secret, uint32_t *detail
) {
    static const uint8_t challenge[32];
    fido_assert_t *assertion = fido_assert_new();
    if (!assertion) return AGONYFS_UNLOCK_FAILED;
    bool by_itself = key->verified && fido_dev_has_uv(token) && !pin;
    int error = fido_assert_set_rp(assertion, party);
    // Only the extension's answer is used, so the challenge need not be random.
    if (!error) error = fido_assert_set_clientdata_hash(assertion, challenge, sizeof challenge);
    if (!error) error = fido_assert_set_extensions(assertion, FIDO_EXT_HMAC_SECRET);
    if (!error) error = fido_assert_set_hmac_salt(assertion, key->salt, sizeof key->salt);
    if (!error && key->credential_size) error = fido_assert_allow_cred(assertion, key->credential, key->credential_size);
    if (!error && by_itself) error = fido_assert_set_uv(assertion, FIDO_OPT_TRUE);
    if (!error) error = fido_dev_get_assert(token, assertion, pin);
    int status = status_of(error);
    // A finger that is not read leaves the PIN.
    if (by_itself && (status == AGONYFS_UNLOCK_WRONG_PIN || status == AGONYFS_UNLOCK_BLOCKED))
        status = AGONYFS_UNLOCK_NEEDS_PIN;
    if (!error) {
        if (fido_assert_count(assertion) == 1 &&
            fido_assert_hmac_secret_len(assertion, 0) == AGONYFS_UNLOCK_SECRET_SIZE) {
            memcpy(secret, fido_assert_hmac_secret_ptr(assertion, 0), AGONYFS_UNLOCK_SECRET_SIZE);
        } else {
            status = AGONYFS_UNLOCK_GONE;
        }
    }
    // Wipes its copy of the secret.
    fido_assert_free(&assertion);
    *detail = (uint32_t) error;
    return status;
}

int agonyfs_token_make(
    struct agonyfs_token_key *key, const uint8_t *user, bool resident, const char *pin, uint8_t *secret, uint32_t *detail
) {
    fido_dev_t *token;
    int status = open_token(&token);
    if (status != AGONYFS_UNLOCK_DONE) return status;
    key->verified = fido_dev_has_pin(token) || fido_dev_has_uv(token);
    bool by_itself = key->verified && fido_dev_has_uv(token) && !pin;
    if (key->verified && !by_itself && !pin) {
        close_token(token);
        return AGONYFS_UNLOCK_NEEDS_PIN;
    }
    static const uint8_t challenge[32];
    fido_cred_t *credential = fido_cred_new();
    int error = credential ? fido_cred_set_type(credential, COSE_ES256) : FIDO_ERR_INTERNAL;
    if (!error) error = fido_cred_set_rp(credential, party, party);
    if (!error) error = fido_cred_set_user(credential, user, AGONYFS_UNLOCK_SECRET_SIZE, party, NULL, NULL);
    if (!error) error = fido_cred_set_clientdata_hash(credential, challenge, sizeof challenge);
    if (!error) error = fido_cred_set_extensions(credential, FIDO_EXT_HMAC_SECRET);
    if (!error && resident) error = fido_cred_set_rk(credential, FIDO_OPT_TRUE);
    if (!error && by_itself) error = fido_cred_set_uv(credential, FIDO_OPT_TRUE);
    if (!error) error = fido_dev_make_cred(token, credential, pin);
    status = status_of(error);
    *detail = (uint32_t) error;
    if (by_itself && (status == AGONYFS_UNLOCK_WRONG_PIN || status == AGONYFS_UNLOCK_BLOCKED))
        status = AGONYFS_UNLOCK_NEEDS_PIN;
    if (!error) {
        size_t size = fido_cred_id_len(credential);
        key->credential_size = 0;
        if (size > sizeof key->credential) {
            status = AGONYFS_UNLOCK_UNSUPPORTED;
        } else if (!resident) {
            memcpy(key->credential, fido_cred_id_ptr(credential), size);
            key->credential_size = size;
        }
    }
    fido_cred_free(&credential);
    if (status == AGONYFS_UNLOCK_DONE) status = assert_secret(token, key, pin, secret, detail);
    close_token(token);
    return status;
}

int agonyfs_token_get(const struct agonyfs_token_key *key, const char *pin, uint8_t *secret, uint32_t *detail) {
    fido_dev_t *token;
    int status = open_token(&token);
    if (status != AGONYFS_UNLOCK_DONE) return status;
    if (key->verified && !fido_dev_has_uv(token) && !pin) status = AGONYFS_UNLOCK_NEEDS_PIN;
    if (status == AGONYFS_UNLOCK_DONE) status = assert_secret(token, key, key->verified ? pin : NULL, secret, detail);
    close_token(token);
    return status;
}
