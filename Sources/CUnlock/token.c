// A secret that a FIDO2 token computes from a salt, with the extension hmac-secret.
//
// Invariants
// 1. The token computes different secrets with and without verification of the user. The record says which one a key
//    was made with, and each use does the same.
// 2. A token is asked for a touch or gets a PIN only if it holds the key, or is the only one that may hold it.
#include "unlock.h"

#include <fido.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char party[] = "agonyfs";
/// Most tokens that are tried.
#define MOST_TOKENS 16
/// How long a token may take to answer during the search, in milliseconds. No call of the search waits for the user.
#define ANSWER_TIME 3000

static const fido_dev_io_t *transport;
static const char *const *transport_paths;
static size_t transport_path_count;

void agonyfs_token_use(const void *functions, const char *const *paths, size_t count) {
    transport = functions;
    transport_paths = paths;
    transport_path_count = count;
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
    if ((transport && fido_dev_set_io_functions(token, transport) != FIDO_OK) ||
        fido_dev_set_timeout(token, ANSWER_TIME) != FIDO_OK || fido_dev_open(token, path) != FIDO_OK) {
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

/// An assertion by the credential of a key; NULL if memory is short.
static fido_assert_t *new_assertion(const struct agonyfs_token_key *key) {
    // Only the extension's result is used, so the challenge need not be random.
    static const uint8_t challenge[32];
    fido_assert_t *assertion = fido_assert_new();
    if (!assertion) return NULL;
    int error = fido_assert_set_rp(assertion, party);
    if (!error) error = fido_assert_set_clientdata_hash(assertion, challenge, sizeof challenge);
    if (!error && key->credential_size) error = fido_assert_allow_cred(assertion, key->credential, key->credential_size);
    if (error) fido_assert_free(&assertion);
    return assertion;
}

/// Whether a token holds a credential.
enum holding { HOLDS_NOT, MAY_HOLD, HOLDS };

/// Asks a token for an assertion that needs neither touch nor PIN.
static enum holding holding_of(fido_dev_t *token, const struct agonyfs_token_key *key) {
    fido_assert_t *assertion = new_assertion(key);
    int error = assertion ? fido_assert_set_up(assertion, FIDO_OPT_FALSE) : FIDO_ERR_INTERNAL;
    if (!error) error = fido_dev_get_assert(token, assertion, NULL);
    fido_assert_free(&assertion);
    if (error == FIDO_OK) return HOLDS;
    bool is_denied = error == FIDO_ERR_NO_CREDENTIALS || error == FIDO_ERR_INVALID_CREDENTIAL;
    return is_denied && !key->hidden ? HOLDS_NOT : MAY_HOLD;
}

struct search {
    const struct agonyfs_token_key *key;  ///< NULL to find a token that can make a key.
    fido_dev_t *found;                    ///< The first of the best candidates.
    enum holding holding;                 ///< How surely it holds the key.
    size_t equals;                        ///< The number of tokens that are equally good.
    uint32_t seen;                        ///< The number of tokens that could be opened.
};

static void consider(struct search *search, const char *path) {
    fido_dev_t *token = open_at(path);
    if (!token) return;
    search->seen++;
    enum holding holding = HOLDS_NOT;
    if (has_extension(token)) holding = search->key ? holding_of(token, search->key) : HOLDS;
    if (holding > search->holding) {
        if (search->found) close_token(search->found);
        search->found = token;
        search->holding = holding;
        search->equals = 1;
    } else {
        close_token(token);
        if (holding != HOLDS_NOT && holding == search->holding) search->equals++;
    }
}

int agonyfs_token_find(
    const struct agonyfs_token_key *key, bool has_pin, struct fido_dev **token, uint32_t *detail
) {
    struct search search = {.key = key};
    fido_init(0);
    if (transport) {
        for (size_t i = 0; i < transport_path_count; i++) consider(&search, transport_paths[i]);
    } else {
        fido_dev_info_t *list = fido_dev_info_new(MOST_TOKENS);
        size_t count = 0;
        if (list && fido_dev_info_manifest(list, MOST_TOKENS, &count) == FIDO_OK) {
            for (size_t i = 0; i < count; i++) consider(&search, fido_dev_info_path(fido_dev_info_ptr(list, i)));
        }
        fido_dev_info_free(&list, MOST_TOKENS);
    }
    *detail = search.seen;
    *token = NULL;
    if (search.seen == 0) return AGONYFS_UNLOCK_UNAVAILABLE;
    if (!search.found) return key ? AGONYFS_UNLOCK_GONE : AGONYFS_UNLOCK_UNSUPPORTED;
    int status = AGONYFS_UNLOCK_DONE;
    if (search.equals > 1) {
        // Sending one token's PIN to another would count as a wrong PIN there.
        status = AGONYFS_UNLOCK_SEVERAL;
    } else if (!has_pin && !fido_dev_has_uv(search.found) && (key ? key->verified : fido_dev_has_pin(search.found))) {
        status = AGONYFS_UNLOCK_NEEDS_PIN;
    }
    if (status == AGONYFS_UNLOCK_DONE) {
        // No time limit, because the token waits for a touch.
        fido_dev_set_timeout(search.found, -1);
        *token = search.found;
    } else {
        close_token(search.found);
    }
    return status;
}

static int assert_secret(
    fido_dev_t *token, const struct agonyfs_token_key *key, const char *pin, uint8_t *secret, uint32_t *detail
) {
    fido_assert_t *assertion = new_assertion(key);
    if (!assertion) return AGONYFS_UNLOCK_FAILED;
    bool by_itself = key->verified && fido_dev_has_uv(token) && !pin;
    int error = fido_assert_set_extensions(assertion, FIDO_EXT_HMAC_SECRET);
    if (!error) error = fido_assert_set_hmac_salt(assertion, key->salt, sizeof key->salt);
    if (!error && by_itself) error = fido_assert_set_uv(assertion, FIDO_OPT_TRUE);
    if (!error) error = fido_dev_get_assert(token, assertion, pin);
    int status = status_of(error);
    // If the finger is not recognised, the PIN can still be used.
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
    // This also wipes libfido2's copy of the secret.
    fido_assert_free(&assertion);
    if (status != AGONYFS_UNLOCK_GONE) *detail = (uint32_t) error;
    return status;
}

int agonyfs_token_make(
    struct fido_dev *token, struct agonyfs_token_key *key, const uint8_t *user, bool resident, const char *pin,
    uint8_t *secret, uint32_t *detail
) {
    key->verified = fido_dev_has_pin(token) || fido_dev_has_uv(token);
    bool by_itself = key->verified && fido_dev_has_uv(token) && !pin;
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
    int status = status_of(error);
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
    key->hidden = false;
    if (status == AGONYFS_UNLOCK_DONE) {
        key->hidden = holding_of(token, key) == HOLDS_NOT;
        status = assert_secret(token, key, pin, secret, detail);
    }
    close_token(token);
    return status;
}

int agonyfs_token_get(
    struct fido_dev *token, const struct agonyfs_token_key *key, const char *pin, uint8_t *secret, uint32_t *detail
) {
    int status = assert_secret(token, key, key->verified ? pin : NULL, secret, detail);
    close_token(token);
    return status;
}
