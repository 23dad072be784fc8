#include "identity.h"

#include <openssl/bio.h>
#include <openssl/conf.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

struct identity {
  X509 *certificate;
  EVP_PKEY *key;
};

static identity *identity_of(X509 *certificate, EVP_PKEY *key) {
  identity *one = calloc(1, sizeof *one);
  if (one == NULL) {
    X509_free(certificate);
    EVP_PKEY_free(key);
    return NULL;
  }
  one->certificate = certificate;
  one->key = key;
  return one;
}

/* A positive number of 20 bytes, the most that RFC 5280, 4.1.2.2, allows; 158 of its bits are random. */
static int set_serial_number(X509 *certificate) {
  uint8_t bytes[20];
  if (RAND_bytes(bytes, sizeof bytes) != 1) return 0;
  bytes[0] = (bytes[0] & 0x7F) | 0x40;
  BIGNUM *number = BN_bin2bn(bytes, sizeof bytes, NULL);
  int set = number != NULL && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL;
  BN_free(number);
  return set;
}

static int add_extensions(X509 *certificate, X509 *issuer, const char *text) {
  BIO *input = BIO_new_mem_buf(text, -1);
  CONF *section = NCONF_new(NULL);
  long line = 0;
  int added = 0;
  if (input != NULL && section != NULL && NCONF_load_bio(section, input, &line) > 0) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509V3_set_nconf(&context, section);
    added = X509V3_EXT_add_nconf(section, &context, "extensions", certificate);
  }
  NCONF_free(section);
  BIO_free(input);
  return added;
}

identity *identity_make(
    const identity *issuer, const char *common_name, int days, const char *extensions) {
  EVP_PKEY *key = EVP_EC_gen("P-256");
  X509 *certificate = X509_new();
  X509_NAME *name = X509_NAME_new();
  if (key == NULL || certificate == NULL || name == NULL) goto failed;
  X509 *signer = issuer == NULL ? certificate : issuer->certificate;
  if (!X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)common_name, -1, -1, 0) ||
      !X509_set_version(certificate, X509_VERSION_3) || !set_serial_number(certificate) ||
      X509_time_adj_ex(X509_getm_notBefore(certificate), -1, 0, NULL) == NULL ||
      X509_time_adj_ex(X509_getm_notAfter(certificate), days, 0, NULL) == NULL ||
      !X509_set_subject_name(certificate, name) ||
      !X509_set_issuer_name(certificate, X509_get_subject_name(signer)) || !X509_set_pubkey(certificate, key) ||
      !add_extensions(certificate, signer, extensions) ||
      !X509_sign(certificate, issuer == NULL ? key : issuer->key, EVP_sha256()))
    goto failed;
  X509_NAME_free(name);
  return identity_of(certificate, key);
failed:
  X509_NAME_free(name);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return NULL;
}

identity *identity_read(const void *certificate, int certificate_size, const void *key, int key_size) {
  BIO *certificate_text = BIO_new_mem_buf(certificate, certificate_size);
  BIO *key_text = BIO_new_mem_buf(key, key_size);
  X509 *read = certificate_text == NULL ? NULL : PEM_read_bio_X509(certificate_text, NULL, NULL, NULL);
  /* Without this empty password, OpenSSL would ask for one at the terminal. */
  EVP_PKEY *secret = key_text == NULL ? NULL : PEM_read_bio_PrivateKey(key_text, NULL, NULL, "");
  BIO_free(certificate_text);
  BIO_free(key_text);
  if (read == NULL || secret == NULL || X509_check_private_key(read, secret) != 1) {
    X509_free(read);
    EVP_PKEY_free(secret);
    return NULL;
  }
  return identity_of(read, secret);
}

void identity_free(identity *one) {
  if (one == NULL) return;
  X509_free(one->certificate);
  EVP_PKEY_free(one->key);
  free(one);
}

int identity_write(
    const identity *one, identity_form form, void *context, void (*take)(void *, const uint8_t *, int)) {
  /* Secure memory is overwritten when it is freed. */
  BIO *output = BIO_new(BIO_s_secmem());
  if (output == NULL) return 0;
  int written = 0;
  switch (form) {
  case identity_certificate_pem: written = PEM_write_bio_X509(output, one->certificate); break;
  case identity_certificate_der: written = i2d_X509_bio(output, one->certificate); break;
  case identity_key_pem: written = PEM_write_bio_PKCS8PrivateKey(output, one->key, NULL, NULL, 0, NULL, NULL); break;
  case identity_key_der: written = i2d_PKCS8PrivateKey_bio(output, one->key, NULL, NULL, 0, NULL, NULL); break;
  }
  char *bytes = NULL;
  long size = BIO_get_mem_data(output, &bytes);
  if (written && size > 0) take(context, (const uint8_t *)bytes, (int)size);
  BIO_free(output);
  return written && size > 0;
}

int identity_fingerprint(const identity *one, uint8_t *digest) {
  unsigned int size = 0;
  return X509_digest(one->certificate, EVP_sha256(), digest, &size) && size == 32;
}

int identity_trusts(const identity *authority, const identity *one) {
  X509_STORE *store = X509_STORE_new();
  X509_STORE_CTX *context = X509_STORE_CTX_new();
  int trusted = store != NULL && context != NULL && X509_STORE_add_cert(store, authority->certificate) &&
                X509_STORE_CTX_init(context, store, one->certificate, NULL) &&
                X509_STORE_CTX_set_purpose(context, X509_PURPOSE_SSL_SERVER) && X509_verify_cert(context) == 1;
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  return trusted;
}
