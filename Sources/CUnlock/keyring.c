// Secrets in the Secret Service: gnome-keyring, KWallet, KeePassXC.
//
// While the keyring is locked, any program can read an item's label, schema and attributes. They name neither this
// program nor a vault: a general schema, a general label, and a random number.
#include "unlock.h"

#include <libsecret/secret.h>
#include <string.h>

#define DIGITS (2 * AGONYFS_UNLOCK_SECRET_SIZE)

static const SecretSchema schema = {
    "org.freedesktop.Secret.Generic", SECRET_SCHEMA_NONE, {{"id", SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}}
};
static const char label[] = "Key";

static void write_digits(const uint8_t *bytes, size_t count, char *text) {
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    text[2 * count] = 0;
}

static int read_digits(const char *text, size_t length, uint8_t *bytes) {
    if (length != DIGITS) return -1;
    for (size_t i = 0; i < length; i++) {
        int value = g_ascii_xdigit_value(text[i]);
        if (value < 0) return -1;
        bytes[i / 2] = (uint8_t) (i % 2 ? bytes[i / 2] | value : value << 4);
    }
    return 0;
}

static GHashTable *attributes(const uint8_t *item) {
    char text[2 * AGONYFS_UNLOCK_ITEM_SIZE + 1];
    write_digits(item, AGONYFS_UNLOCK_ITEM_SIZE, text);
    GHashTable *table = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
    g_hash_table_insert(table, "id", g_strdup(text));
    return table;
}

/// The status for an error; frees it. Without an error, the user dismissed the dialog.
static int status_of(GError *error) {
    if (!error) return AGONYFS_UNLOCK_LOCKED;
    int status = AGONYFS_UNLOCK_FAILED;
    if (g_error_matches(error, SECRET_ERROR, SECRET_ERROR_IS_LOCKED) ||
        g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        status = AGONYFS_UNLOCK_LOCKED;
    } else if (g_error_matches(error, SECRET_ERROR, SECRET_ERROR_NO_SUCH_OBJECT)) {
        status = AGONYFS_UNLOCK_GONE;
    } else if (error->domain == G_IO_ERROR || error->domain == G_DBUS_ERROR || error->domain == G_SPAWN_ERROR) {
        status = AGONYFS_UNLOCK_UNAVAILABLE;
    }
    g_error_free(error);
    return status;
}

int agonyfs_keyring_find(const uint8_t *item, uint8_t *secret) {
    GError *error = NULL;
    SecretService *service = secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION, NULL, &error);
    if (!service) return status_of(error);
    GHashTable *wanted = attributes(item);
    GList *items = secret_service_search_sync(service, &schema, wanted, SECRET_SEARCH_NONE, NULL, &error);
    g_hash_table_unref(wanted);
    int status = AGONYFS_UNLOCK_DONE;
    if (error) {
        status = status_of(error);
    } else if (!items) {
        status = AGONYFS_UNLOCK_GONE;
    } else {
        SecretItem *found = items->data;
        if (secret_item_get_locked(found)) {
            GList *unlocked = NULL;
            int count = secret_service_unlock_sync(service, items, NULL, &unlocked, &error);
            g_list_free_full(unlocked, g_object_unref);
            if (count < 1) status = status_of(error);
        }
        if (status == AGONYFS_UNLOCK_DONE && !secret_item_load_secret_sync(found, NULL, &error)) {
            status = status_of(error);
        }
        SecretValue *value = status == AGONYFS_UNLOCK_DONE ? secret_item_get_secret(found) : NULL;
        if (value) {
            gsize length = 0;
            const char *text = secret_value_get(value, &length);
            if (read_digits(text, length, secret) != 0) status = AGONYFS_UNLOCK_GONE;
            // libsecret keeps the value in locked memory if it gets any, and wipes it with the last reference.
            secret_value_unref(value);
        } else if (status == AGONYFS_UNLOCK_DONE) {
            status = AGONYFS_UNLOCK_GONE;
        }
    }
    g_list_free_full(items, g_object_unref);
    g_object_unref(service);
    return status;
}

int agonyfs_keyring_store(const uint8_t *item, const uint8_t *secret) {
    GError *error = NULL;
    char text[DIGITS + 1];
    write_digits(secret, AGONYFS_UNLOCK_SECRET_SIZE, text);
    GHashTable *table = attributes(item);
    gboolean stored = secret_password_storev_sync(
        &schema, table, SECRET_COLLECTION_DEFAULT, label, text, NULL, &error);
    g_hash_table_unref(table);
    explicit_bzero(text, sizeof text);
    return stored ? AGONYFS_UNLOCK_DONE : status_of(error);
}

int agonyfs_keyring_delete(const uint8_t *item) {
    GError *error = NULL;
    GHashTable *table = attributes(item);
    gboolean deleted = secret_password_clearv_sync(&schema, table, NULL, &error);
    g_hash_table_unref(table);
    if (deleted) return AGONYFS_UNLOCK_DONE;
    return error ? status_of(error) : AGONYFS_UNLOCK_GONE;
}
