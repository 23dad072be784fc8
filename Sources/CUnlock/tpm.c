// A secret sealed to this machine's TPM: an object below a primary key that only this TPM can derive, until it is
// cleared.
//
// Invariants
// 1. The secret and the PIN never cross the bus to the TPM unencrypted: the session is salted by the primary key, and
//    encrypts the first parameter of command and answer.
// 2. The policy contains no PCR, so that updates of firmware and kernel do not lock the user out.
#include "unlock.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <tss2/tss2_esys.h>
#include <tss2/tss2_mu.h>
#include <tss2/tss2_tctildr.h>

struct session {
    TSS2_TCTI_CONTEXT *tcti;
    ESYS_CONTEXT *esys;
    ESYS_TR primary;
    ESYS_TR session;
};

/// The TPM's error without the number of the parameter, handle or session that it concerns.
static TSS2_RC kind(TSS2_RC code) {
    if ((code & 0xFFFF0000) == 0 && (code & TPM2_RC_FMT1)) return code & (TPM2_RC_FMT1 | 0x3F);
    return code;
}

static int status_of(TSS2_RC code) {
    switch (kind(code)) {
        case TSS2_RC_SUCCESS: return AGONYFS_UNLOCK_DONE;
        case TPM2_RC_AUTH_FAIL:
        case TPM2_RC_BAD_AUTH: return AGONYFS_UNLOCK_WRONG_PIN;
        case TPM2_RC_LOCKOUT: return AGONYFS_UNLOCK_BLOCKED;
        case TPM2_RC_INTEGRITY: return AGONYFS_UNLOCK_GONE;
        default: return AGONYFS_UNLOCK_FAILED;
    }
}

static void close_session(struct session *s) {
    if (s->session != ESYS_TR_NONE) Esys_FlushContext(s->esys, s->session);
    if (s->primary != ESYS_TR_NONE) Esys_FlushContext(s->esys, s->primary);
    if (s->esys) Esys_Finalize(&s->esys);
    if (s->tcti) Tss2_TctiLdr_Finalize(&s->tcti);
}

static int open_session(struct session *s, uint32_t *detail) {
    *s = (struct session) {.primary = ESYS_TR_NONE, .session = ESYS_TR_NONE};
    // Without a name the library also tries simulators, and any process that listens on their ports could pose as one.
    const char *name = getenv("AGONYFS_TPM");
    if (Tss2_TctiLdr_Initialize(name && *name ? name : "device:/dev/tpmrm0", &s->tcti) != TSS2_RC_SUCCESS)
        return AGONYFS_UNLOCK_UNAVAILABLE;
    if (Esys_Initialize(&s->esys, s->tcti, NULL) != TSS2_RC_SUCCESS) return AGONYFS_UNLOCK_UNAVAILABLE;
    TPM2B_PUBLIC template = {.publicArea = {
        .type = TPM2_ALG_ECC,
        .nameAlg = TPM2_ALG_SHA256,
        .objectAttributes = TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT | TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT |
            TPMA_OBJECT_SENSITIVEDATAORIGIN | TPMA_OBJECT_USERWITHAUTH | TPMA_OBJECT_NODA,
        .parameters.eccDetail = {
            .symmetric = {.algorithm = TPM2_ALG_AES, .keyBits.aes = 128, .mode.aes = TPM2_ALG_CFB},
            .scheme.scheme = TPM2_ALG_NULL,
            .curveID = TPM2_ECC_NIST_P256,
            .kdf.scheme = TPM2_ALG_NULL,
        },
    }};
    TPM2B_SENSITIVE_CREATE none = {0};
    TPM2B_DATA outside = {0};
    TPML_PCR_SELECTION registers = {0};
    TSS2_RC code = Esys_CreatePrimary(
        s->esys, ESYS_TR_RH_OWNER, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &none, &template, &outside, &registers,
        &s->primary, NULL, NULL, NULL, NULL);
    *detail = code;
    // An error of the TPM means that the owner hierarchy has a password, which is not known here.
    if (code != TSS2_RC_SUCCESS) return code & 0xFFFF0000 ? AGONYFS_UNLOCK_UNAVAILABLE : AGONYFS_UNLOCK_FAILED;
    TPMT_SYM_DEF symmetric = {.algorithm = TPM2_ALG_AES, .keyBits.aes = 128, .mode.aes = TPM2_ALG_CFB};
    code = Esys_StartAuthSession(
        s->esys, s->primary, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, NULL, TPM2_SE_HMAC, &symmetric,
        TPM2_ALG_SHA256, &s->session);
    if (code == TSS2_RC_SUCCESS) {
        TPMA_SESSION flags = TPMA_SESSION_DECRYPT | TPMA_SESSION_ENCRYPT | TPMA_SESSION_CONTINUESESSION;
        code = Esys_TRSess_SetAttributes(s->esys, s->session, flags, 0xFF);
    }
    *detail = code;
    return status_of(code);
}

int agonyfs_tpm_seal(
    const uint8_t *secret, const uint8_t *pin, size_t pin_size, uint8_t *record, size_t *record_size, uint32_t *detail
) {
    struct session s;
    int status = open_session(&s, detail);
    if (status != AGONYFS_UNLOCK_DONE) {
        close_session(&s);
        return status;
    }
    TPM2B_SENSITIVE_CREATE sensitive = {0};
    if (pin_size > sizeof sensitive.sensitive.userAuth.buffer || pin_size > AGONYFS_UNLOCK_PIN_LIMIT) {
        close_session(&s);
        return AGONYFS_UNLOCK_FAILED;
    }
    sensitive.sensitive.userAuth.size = (UINT16) pin_size;
    if (pin_size) memcpy(sensitive.sensitive.userAuth.buffer, pin, pin_size);
    sensitive.sensitive.data.size = AGONYFS_UNLOCK_SECRET_SIZE;
    memcpy(sensitive.sensitive.data.buffer, secret, AGONYFS_UNLOCK_SECRET_SIZE);
    TPM2B_PUBLIC template = {.publicArea = {
        .type = TPM2_ALG_KEYEDHASH,
        .nameAlg = TPM2_ALG_SHA256,
        // Wrong PINs count as attacks and block the TPM for a time. Without a PIN there is nothing to guess.
        .objectAttributes = TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_USERWITHAUTH |
            (pin_size ? 0 : TPMA_OBJECT_NODA),
        .parameters.keyedHashDetail.scheme.scheme = TPM2_ALG_NULL,
    }};
    TPM2B_DATA outside = {0};
    TPML_PCR_SELECTION registers = {0};
    TPM2B_PRIVATE *private = NULL;
    TPM2B_PUBLIC *public = NULL;
    TSS2_RC code = Esys_Create(
        s.esys, s.primary, s.session, ESYS_TR_NONE, ESYS_TR_NONE, &sensitive, &template, &outside, &registers, &private,
        &public, NULL, NULL, NULL);
    explicit_bzero(&sensitive, sizeof sensitive);
    size_t offset = 0;
    if (code == TSS2_RC_SUCCESS) code = Tss2_MU_TPM2B_PUBLIC_Marshal(public, record, *record_size, &offset);
    if (code == TSS2_RC_SUCCESS) code = Tss2_MU_TPM2B_PRIVATE_Marshal(private, record, *record_size, &offset);
    *record_size = offset;
    Esys_Free(private);
    Esys_Free(public);
    close_session(&s);
    *detail = code;
    return status_of(code);
}

int agonyfs_tpm_unseal(
    const uint8_t *record, size_t record_size, const uint8_t *pin, size_t pin_size, uint8_t *secret, uint32_t *detail
) {
    TPM2B_PUBLIC public = {0};
    TPM2B_PRIVATE private = {0};
    size_t offset = 0;
    if (Tss2_MU_TPM2B_PUBLIC_Unmarshal(record, record_size, &offset, &public) != TSS2_RC_SUCCESS ||
        Tss2_MU_TPM2B_PRIVATE_Unmarshal(record, record_size, &offset, &private) != TSS2_RC_SUCCESS)
        return AGONYFS_UNLOCK_GONE;
    struct session s;
    int status = open_session(&s, detail);
    if (status != AGONYFS_UNLOCK_DONE) {
        close_session(&s);
        return status;
    }
    ESYS_TR object = ESYS_TR_NONE;
    TSS2_RC code = Esys_Load(
        s.esys, s.primary, s.session, ESYS_TR_NONE, ESYS_TR_NONE, &private, &public, &object);
    // The TPM refuses objects of another TPM, or from before it was cleared, with various errors.
    status = code == TSS2_RC_SUCCESS ? AGONYFS_UNLOCK_DONE
        : code & 0xFFFF0000          ? AGONYFS_UNLOCK_FAILED
                                     : AGONYFS_UNLOCK_GONE;
    if (status == AGONYFS_UNLOCK_DONE) {
        TPM2B_AUTH auth = {.size = (UINT16) pin_size};
        if (pin_size <= sizeof auth.buffer && pin_size) memcpy(auth.buffer, pin, pin_size);
        code = pin_size <= sizeof auth.buffer ? Esys_TR_SetAuth(s.esys, object, &auth) : TPM2_RC_AUTH_FAIL;
        explicit_bzero(&auth, sizeof auth);
        TPM2B_SENSITIVE_DATA *data = NULL;
        if (code == TSS2_RC_SUCCESS)
            code = Esys_Unseal(s.esys, object, s.session, ESYS_TR_NONE, ESYS_TR_NONE, &data);
        status = status_of(code);
        if (status == AGONYFS_UNLOCK_DONE) {
            if (data->size == AGONYFS_UNLOCK_SECRET_SIZE) memcpy(secret, data->buffer, data->size);
            else status = AGONYFS_UNLOCK_GONE;
        }
        if (data) {
            explicit_bzero(data, sizeof *data);
            Esys_Free(data);
        }
        Esys_FlushContext(s.esys, object);
    }
    close_session(&s);
    *detail = code;
    return status;
}
