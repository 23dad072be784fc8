#include "CStore.h"

#include <expat.h>
#include <string.h>

enum { most_depth = 8, most_elements = 20000, most_name_bytes = 64 };

struct reading {
    XML_Parser parser;
    void *context;
    void (*element)(void *context, const char *path, const char *text, size_t text_count);
    char path[most_depth * (most_name_bytes + 1)];
    size_t path_count;
    size_t ends[most_depth];
    int depth;
    int elements;
    char text[AGONYFS_XML_TEXT_BYTES];
    size_t text_count;
    int is_refused;
};

static void refuse(struct reading *reading) {
    reading->is_refused = 1;
    XML_StopParser(reading->parser, XML_FALSE);
}

static void XMLCALL begin_element(void *data, const XML_Char *name, const XML_Char **attributes) {
    (void)attributes;
    struct reading *reading = data;
    if (reading->is_refused) return;
    size_t count = strlen(name);
    if (reading->depth == most_depth || count > most_name_bytes || ++reading->elements > most_elements) {
        refuse(reading);
        return;
    }
    reading->ends[reading->depth++] = reading->path_count;
    if (reading->path_count > 0) reading->path[reading->path_count++] = '/';
    memcpy(reading->path + reading->path_count, name, count);
    reading->path_count += count;
    reading->text_count = 0;
}

static void XMLCALL end_element(void *data, const XML_Char *name) {
    (void)name;
    struct reading *reading = data;
    if (reading->is_refused || reading->depth == 0) return;
    char path[sizeof reading->path + 1];
    memcpy(path, reading->path, reading->path_count);
    path[reading->path_count] = 0;
    reading->element(reading->context, path, reading->text, reading->text_count);
    reading->path_count = reading->ends[--reading->depth];
    reading->text_count = 0;
}

static void XMLCALL add_text(void *data, const XML_Char *text, int count) {
    struct reading *reading = data;
    if (reading->is_refused) return;
    if ((size_t)count > sizeof reading->text - reading->text_count) {
        refuse(reading);
        return;
    }
    memcpy(reading->text + reading->text_count, text, (size_t)count);
    reading->text_count += (size_t)count;
}

static void XMLCALL begin_document_type(
    void *data, const XML_Char *name, const XML_Char *system, const XML_Char *public, int has_subset
) {
    (void)name, (void)system, (void)public, (void)has_subset;
    refuse(data);
}

int agonyfs_store_read_xml(
    const void *bytes, size_t count, void *context,
    void (*element)(void *context, const char *path, const char *text, size_t text_count)
) {
    if (count > (size_t)1 << 30) return 1;
    struct reading reading;
    memset(&reading, 0, sizeof reading);
    reading.context = context;
    reading.element = element;
    XML_Parser parser = reading.parser = XML_ParserCreate("UTF-8");
    if (!parser) return 1;
    XML_SetUserData(parser, &reading);
    XML_SetElementHandler(parser, begin_element, end_element);
    XML_SetCharacterDataHandler(parser, add_text);
    XML_SetStartDoctypeDeclHandler(parser, begin_document_type);
    enum XML_Status status = XML_Parse(parser, bytes, (int)count, XML_TRUE);
    XML_ParserFree(parser);
    return status == XML_STATUS_OK && !reading.is_refused ? 0 : 1;
}
