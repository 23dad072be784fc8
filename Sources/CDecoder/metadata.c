#include "metadata.h"

#include <exempi/xmp.h>
#include <libiptcdata/iptc-data.h>
#include <libiptcdata/iptc-jpeg.h>
#include <stdio.h>
#include <string.h>

// The namespaces that the tables name. A file may use any other prefix for them, so their prefixes are fixed here.
static const char *const namespaces[][2] = {
    {"http://purl.org/dc/elements/1.1/", "dc"},
    {"http://ns.adobe.com/xap/1.0/", "xmp"},
    {"http://ns.adobe.com/exif/1.0/", "exif"},
    {"http://ns.adobe.com/exif/1.0/aux/", "aux"},
    {"http://ns.adobe.com/tiff/1.0/", "tiff"},
    {"http://ns.adobe.com/photoshop/1.0/", "photoshop"},
    {"http://ns.acdsee.com/iptc/1.0/", "acdsee"},
    {"http://ns.adobe.com/lightroom/1.0/", "lr"},
    {"http://www.digikam.org/ns/1.0/", "digiKam"},
    {"http://ns.microsoft.com/photo/1.0/", "MicrosoftPhoto"},
    {"http://ns.microsoft.com/photo/1.2/", "MP"},
    {"http://ns.microsoft.com/photo/1.2/t/RegionInfo#", "MPRI"},
    {"http://ns.microsoft.com/photo/1.2/t/Region#", "MPReg"},
    {"http://www.metadataworkinggroup.com/schemas/regions/", "mwg-rs"},
    {"http://ns.google.com/photos/1.0/camera/", "GCamera"},
    {"http://ns.google.com/photos/1.0/panorama/", "GPano"},
    {"http://ns.google.com/photos/1.0/container/", "Container"},
    {"http://ns.google.com/photos/1.0/container/item/", "Item"},
    {"http://cipa.jp/exif/1.0/", "exifEX"},
    {"http://iptc.org/std/Iptc4xmpExt/2008-02-29/", "Iptc4xmpExt"},
    {"urn:agonyfs:words/", "agonyfs"},
};

// Programs write some of these namespaces with a slash at the end, and others without. A prefix can stand for only
// one namespace, so the prefix of the other form has a mark.
static const char mark[] = "-other:";

enum { most_values = 20000, most_name = 128, most_path = 4096 };

void agonyfs_prepare_xmp(void) {
    if (!xmp_init()) return;
    XmpStringPtr prefix = xmp_string_new();
    for (size_t i = 0; i < sizeof namespaces / sizeof *namespaces; i++) {
        const char *name = namespaces[i][0];
        size_t length = strlen(name);
        int slashes = name[length - 1] == '/';
        char other[most_name], marked[most_name];
        snprintf(other, sizeof other, "%.*s%s", (int)length - slashes, name, slashes ? "" : "/");
        snprintf(marked, sizeof marked, "%s%.*s", namespaces[i][1], (int)sizeof mark - 2, mark);
        xmp_register_namespace(name, namespaces[i][1], prefix);
        xmp_register_namespace(other, marked, prefix);
    }
    xmp_string_free(prefix);
}

// Reports a value under the same name for both forms of its namespace.
static void tell(const char *path, size_t length, XmpStringPtr value, const agonyfs_texts *texts) {
    char plain[most_path];
    const size_t skipped = sizeof mark - 2;
    size_t count = 0;
    // None of the wanted names is that long.
    if (length >= sizeof plain) return;
    for (size_t at = 0; at < length; plain[count++] = path[at++])
        if (strncmp(path + at, mark, sizeof mark - 1) == 0) at += skipped;
    texts->take(texts->context, plain, count, xmp_string_cstr(value), xmp_string_len(value));
}

int agonyfs_xmp_read(const void *packet, size_t count, const agonyfs_texts *texts) {
    XmpPtr xmp = xmp_new_empty();
    if (!xmp) return 0;
    int parsed = xmp_parse(xmp, packet, count);
    XmpIteratorPtr values = parsed ? xmp_iterator_new(xmp, NULL, NULL, XMP_ITER_JUSTLEAFNODES) : NULL;
    XmpStringPtr schema = xmp_string_new(), path = xmp_string_new(), value = xmp_string_new();
    uint32_t options = 0;
    for (int i = 0; values && i < most_values && xmp_iterator_next(values, schema, path, value, &options); i++)
        tell(xmp_string_cstr(path), xmp_string_len(path), value, texts);
    xmp_string_free(schema);
    xmp_string_free(path);
    xmp_string_free(value);
    if (values) xmp_iterator_free(values);
    xmp_free(xmp);
    return parsed;
}

void agonyfs_iptc_read(const uint8_t *block, size_t count, const agonyfs_texts *texts) {
    static const char photoshop[] = "Photoshop 3.0";
    if (count > 1 << 20) return;
    if (count >= sizeof photoshop && memcmp(block, photoshop, sizeof photoshop) == 0) {
        unsigned int length = 0;
        int start = iptc_jpeg_ps3_find_iptc(block, (unsigned int)count, &length);
        if (start <= 0 || (size_t)start > count || length > count - (size_t)start) return;
        block += start;
        count = length;
    }
    IptcData *data = iptc_data_new_from_data(block, (unsigned int)count);
    if (!data) return;
    for (unsigned int i = 0; i < data->count; i++) {
        IptcDataSet *set = data->datasets[i];
        if (!set->data) continue;
        char key[2] = {(char)set->record, (char)set->tag};
        texts->take(texts->context, key, sizeof key, set->data, set->size);
    }
    iptc_data_unref(data);
}
