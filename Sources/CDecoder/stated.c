#include "colours.h"
#include "input.h"

#include <libheif/heif.h>
#include <stdio.h>
#include <string.h>

// The chunks before the pixels that are read; a real picture does not have more.
enum { most_chunks = 1000 };

static uint32_t number(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// The chunk cICP (PNG, third edition, 11.3.2.6), which precedes the pixels.
static agonyfs_colours of_png(agonyfs_input *input) {
    if (agonyfs_input_seek(input, 8, SEEK_SET) < 0) return agonyfs_unstated;
    for (int i = 0; i < most_chunks; i++) {
        uint8_t head[8], value[4];
        if (agonyfs_input_read(input, head, sizeof head) != sizeof head) return agonyfs_unstated;
        if (memcmp(head + 4, "IDAT", 4) == 0) return agonyfs_unstated;
        uint32_t size = number(head);
        if (memcmp(head + 4, "cICP", 4) == 0 && size == sizeof value) {
            if (agonyfs_input_read(input, value, sizeof value) != sizeof value) return agonyfs_unstated;
            // Only RGB in the full range is allowed.
            return value[2] == 0 && value[3] == 1 ? (agonyfs_colours){value[0], value[1]} : agonyfs_unstated;
        }
        if (agonyfs_input_seek(input, (int64_t)size + 4, SEEK_CUR) < 0) return agonyfs_unstated;
    }
    return agonyfs_unstated;
}

static int64_t get_position(void *input) { return ((agonyfs_input *)input)->position; }

static int read_some(void *bytes, size_t count, void *input) {
    for (size_t done = 0; done < count;) {
        int64_t got = agonyfs_input_read(input, (uint8_t *)bytes + done, (int64_t)(count - done));
        if (got <= 0) return 1;
        done += (size_t)got;
    }
    return 0;
}

static int seek(int64_t position, void *input) { return agonyfs_input_seek(input, position, SEEK_SET) < 0; }

static enum heif_reader_grow_status wait_for(int64_t size, void *input) {
    return size <= ((agonyfs_input *)input)->size ? heif_reader_grow_status_size_reached
                                                  : heif_reader_grow_status_size_beyond_eof;
}

// The box colr of the kind nclx (ISO/IEC 14496-12, 12.1.5) that belongs to the primary item.
static agonyfs_colours of_heif(agonyfs_input *input) {
    static const struct heif_reader reader = {1, get_position, read_some, seek, wait_for};
    agonyfs_colours result = agonyfs_unstated;
    struct heif_context *context = heif_context_alloc();
    struct heif_image_handle *handle = NULL;
    struct heif_color_profile_nclx *stated = NULL;
    if (context && agonyfs_input_seek(input, 0, SEEK_SET) == 0 &&
        heif_context_read_from_reader(context, &reader, input, NULL).code == heif_error_Ok &&
        heif_context_get_primary_image_handle(context, &handle).code == heif_error_Ok &&
        heif_image_handle_get_nclx_color_profile(handle, &stated).code == heif_error_Ok && stated)
        result = (agonyfs_colours){(int)stated->color_primaries, (int)stated->transfer_characteristics};
    heif_nclx_color_profile_free(stated);
    heif_image_handle_release(handle);
    heif_context_free(context);
    return result;
}

// libjxl's name for a profile, such as "RGB_D65_202_Rel_PeQ" or "Rec2100HLG".
static agonyfs_colours of_name(const uint8_t *tag, size_t size) {
    // The first text of a multiLocalizedUnicodeType (10.15): ASCII in two bytes per character.
    enum { texts = 28 };
    char name[64] = "";
    for (size_t i = 0; i + 1 < sizeof name && texts + 2 * i + 1 < size; i++) name[i] = (char)tag[texts + 2 * i + 1];
    agonyfs_colours colours = agonyfs_unstated;
    if (strstr(name, "PeQ") || strstr(name, "PQ")) colours.transfer = pq;
    if (strstr(name, "HLG")) colours.transfer = hlg;
    if (strstr(name, "_SRG_")) colours.primaries = bt709;
    if (strstr(name, "_DCI_")) colours.primaries = display_p3;
    if (strstr(name, "_202_") || strstr(name, "2100")) colours.primaries = bt2020;
    return colours;
}

agonyfs_colours agonyfs_hdr_of_profile(const uint8_t *profile, size_t size) {
    enum { header = 132, entry = 12, most_tags = 100, number_size = 12 };
    if (size < header) return agonyfs_unstated;
    uint32_t count = number(profile + header - 4);
    for (size_t i = 0; i < count && i < most_tags && header + entry * (i + 1) <= size; i++) {
        const uint8_t *tag = profile + header + entry * i;
        size_t place = number(tag + 4), length = number(tag + 8);
        if (place > size || length > size - place) continue;
        agonyfs_colours colours = agonyfs_unstated;
        if (memcmp(tag, "cicp", 4) == 0 && length >= number_size)
            colours = (agonyfs_colours){profile[place + 8], profile[place + 9]};
        if (memcmp(tag, "desc", 4) == 0 && memcmp(profile + 4, "jxl ", 4) == 0)
            colours = of_name(profile + place, length);
        if (colours.transfer == pq || colours.transfer == hlg) return colours;
    }
    return agonyfs_unstated;
}

agonyfs_colours agonyfs_stated_colours(agonyfs_input *input, const char *loader) {
    int64_t position = input->position;
    agonyfs_colours result = agonyfs_unstated;
    if (loader && strncmp(loader, "pngload", 7) == 0) result = of_png(input);
    if (loader && strncmp(loader, "heifload", 8) == 0) result = of_heif(input);
    input->position = position;
    return result;
}
