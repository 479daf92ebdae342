/* Values between C and JSON. A shape describes a C type: how to read it from JSON, write it, and release it. */

enum kind { TEXT, BYTES, INTEGER, NUMBER, BOOLEAN, TIME, DURATION, OBJECT, ANY, ENUM, RECORD, LIST, MAP, POINTER,
            OPTIONAL, CHANGE };

struct shape {
    enum kind kind;
    size_t size;
    const struct shape *item;    /* of a list, a map, a pointer, an optional, a change */
    size_t offset;               /* of the value in an optional, a change, or an entry of a map */
    size_t stride;               /* of the entries of a map */
    const struct shape *key;     /* of a map */
    const struct member *members; /* of a record */
    const char *const *names;    /* of an enum of strings: the name of value n is at n - 1 */
    size_t count;                /* of members or names */
};

enum { REQUIRED = 1, NULLABLE = 2, REST = 4 /* an object with more members */ };

struct member {
    const char *name;
    const struct shape *shape;
    size_t offset;
    unsigned flags;
};

enum outcome { GOOD, WRONG, NO_MEMORY };

/* How lists, bytes and maps begin. */
struct items {
    void *items;
    size_t count;
};

static enum outcome read_value(const struct shape *shape, const json_t *json, void *place);
static json_t *write_value(const struct shape *shape, const void *place, enum outcome *outcome);

static const struct shape text_shape = {.kind = TEXT, .size = sizeof(char *)};
static const struct shape bytes_shape = {.kind = BYTES, .size = sizeof(mambridge_bytes_t)};
static const struct shape integer_shape = {.kind = INTEGER, .size = sizeof(int64_t)};
static const struct shape number_shape = {.kind = NUMBER, .size = sizeof(double)};
static const struct shape boolean_shape = {.kind = BOOLEAN, .size = sizeof(bool)};
static const struct shape time_shape = {.kind = TIME, .size = sizeof(struct timespec)};
static const struct shape duration_shape = {.kind = DURATION, .size = sizeof(mambridge_duration_t)};
static const struct shape object_shape = {.kind = OBJECT, .size = sizeof(json_t *)};
static const struct shape any_shape = {.kind = ANY, .size = sizeof(json_t *)};

/* Bytes are base64 in JSON. */

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode_three(const unsigned char *from, size_t size, char *to)
{
    unsigned long bits = (unsigned long)from[0] << 16 | (size > 1 ? (unsigned long)from[1] << 8 : 0)
        | (size > 2 ? from[2] : 0);
    to[0] = base64[bits >> 18 & 63];
    to[1] = base64[bits >> 12 & 63];
    to[2] = size > 1 ? base64[bits >> 6 & 63] : '=';
    to[3] = size > 2 ? base64[bits & 63] : '=';
}

static json_t *write_bytes(const mambridge_bytes_t *bytes)
{
    if (bytes->size > SIZE_MAX / 4 - 4)
        return NULL;
    size_t size = (bytes->size + 2) / 3 * 4;
    char *text = malloc(size + 1);
    if (!text)
        return NULL;
    for (size_t from = 0, to = 0; from < bytes->size; from += 3, to += 4)
        encode_three((const unsigned char *)bytes->data + from, bytes->size - from, text + to);
    json_t *json = json_stringn_nocheck(text, size);
    explicit_bzero(text, size);
    free(text);
    return json;
}

static int digit_of(char letter)
{
    if (letter >= 'A' && letter <= 'Z')
        return letter - 'A';
    if (letter >= 'a' && letter <= 'z')
        return letter - 'a' + 26;
    if (letter >= '0' && letter <= '9')
        return letter - '0' + 52;
    return letter == '+' ? 62 : letter == '/' ? 63 : -1;
}

/* Decodes up to four digits into up to three bytes. Returns false if one is no digit. */
static bool decode_four(const char *from, size_t digits, unsigned char *to)
{
    unsigned long bits = 0;
    for (size_t index = 0; index < 4; index++) {
        int digit = index < digits ? digit_of(from[index]) : 0;
        if (digit < 0)
            return false;
        bits = bits << 6 | (unsigned long)digit;
    }
    for (size_t index = 0; index + 1 < digits; index++)
        to[index] = (unsigned char)(bits >> (16 - 8 * index));
    return true;
}

static enum outcome read_bytes(const json_t *json, mambridge_bytes_t *bytes)
{
    const char *text = json_string_value(json);
    size_t length = json_string_length(json);
    if (!text || length % 4)
        return WRONG;
    for (int padding = 0; padding < 2 && length && text[length - 1] == '='; padding++)
        length--;
    unsigned char *data = malloc(length / 4 * 3 + 3);
    if (!data)
        return NO_MEMORY;
    bytes->data = data;
    bytes->size = length / 4 * 3 + (length % 4 ? length % 4 - 1 : 0);
    for (size_t from = 0; from < length; from += 4)
        if (!decode_four(text + from, length - from < 4 ? length - from : 4, data + from / 4 * 3))
            return WRONG;
    return GOOD;
}

/* Times are RFC 3339 in JSON. */

static bool read_digits(const char **text, int count, int *value)
{
    for (*value = 0; count > 0; count--, (*text)++) {
        if (**text < '0' || **text > '9')
            return false;
        *value = *value * 10 + (**text - '0');
    }
    return true;
}

static bool read_number_before(const char **text, int count, int *value, char end)
{
    return read_digits(text, count, value) && (end == '\0' || *(*text)++ == end);
}

static void read_fraction(const char **text, long *nanoseconds)
{
    if (**text != '.')
        return;
    long weight = 100000000;
    for (++*text; **text >= '0' && **text <= '9'; ++*text, weight /= 10)
        *nanoseconds += (**text - '0') * weight;
}

/* Reads Z or +01:00 as seconds. */
static bool read_zone(const char *text, int *offset)
{
    int hours, minutes, sign = *text == '-' ? -1 : 1;
    *offset = 0;
    if (*text == 'Z' || *text == 'z')
        return text[1] == '\0';
    if (*text != '+' && *text != '-')
        return false;
    text++;
    if (!read_number_before(&text, 2, &hours, ':') || !read_number_before(&text, 2, &minutes, '\0'))
        return false;
    *offset = sign * (hours * 3600 + minutes * 60);
    return *text == '\0';
}

static enum outcome read_time(const json_t *json, struct timespec *time)
{
    const char *text = json_string_value(json);
    struct tm parts = {0};
    int offset;
    if (!text || !read_number_before(&text, 4, &parts.tm_year, '-') || !read_number_before(&text, 2, &parts.tm_mon, '-')
        || !read_digits(&text, 2, &parts.tm_mday) || (*text != 'T' && *text != 't'))
        return WRONG;
    text++;
    if (!read_number_before(&text, 2, &parts.tm_hour, ':') || !read_number_before(&text, 2, &parts.tm_min, ':')
        || !read_digits(&text, 2, &parts.tm_sec))
        return WRONG;
    read_fraction(&text, &time->tv_nsec);
    if (!read_zone(text, &offset))
        return WRONG;
    parts.tm_year -= 1900;
    parts.tm_mon -= 1;
    time->tv_sec = timegm(&parts) - offset;
    return GOOD;
}

static json_t *write_time(const struct timespec *time, enum outcome *outcome)
{
    struct tm parts;
    char text[64], day[40];
    if (time->tv_nsec < 0 || time->tv_nsec > 999999999 || !gmtime_r(&time->tv_sec, &parts) || parts.tm_year < -1900
        || parts.tm_year > 8099) {
        *outcome = WRONG;
        return NULL;
    }
    strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
    int zeros = (int)(19 - strlen(day)); /* strftime does not pad early years */
    snprintf(text, sizeof text, "%.*s%s.%03ldZ", zeros > 0 ? zeros : 0, "000", day, time->tv_nsec / 1000000);
    return json_string_nocheck(text);
}

static json_t *write_duration(const mambridge_duration_t *duration, enum outcome *outcome)
{
    char text[64];
    if (duration->seconds < 0) {
        *outcome = WRONG;
        return NULL;
    }
    snprintf(text, sizeof text, "P%lldDT%lldS", (long long)(duration->seconds / 86400),
             (long long)(duration->seconds % 86400));
    return json_string_nocheck(text);
}

/* Reading */

static enum outcome read_text(const json_t *json, char **place)
{
    const char *text = json_string_value(json);
    if (!text || strlen(text) != json_string_length(json)) /* A C string cannot hold a NUL. */
        return WRONG;
    *place = strdup(text);
    return *place ? GOOD : NO_MEMORY;
}

static enum outcome read_name(const struct shape *shape, const char *name, int *place)
{
    if (!name)
        return WRONG;
    *place = UNRECOGNIZED;
    for (size_t index = 0; index < shape->count; index++)
        if (strcmp(shape->names[index], name) == 0)
            *place = (int)index + 1;
    return GOOD;
}

static enum outcome read_json(const struct shape *shape, const json_t *json, json_t **place)
{
    if (shape->kind == OBJECT && !json_is_object(json))
        return WRONG;
    *place = json_deep_copy(json);
    return *place ? GOOD : NO_MEMORY;
}

static enum outcome read_list(const struct shape *shape, const json_t *json, struct items *list)
{
    if (!json_is_array(json))
        return WRONG;
    size_t count = json_array_size(json);
    list->items = calloc(count ? count : 1, shape->item->size);
    if (!list->items)
        return NO_MEMORY;
    enum outcome outcome = GOOD;
    for (; list->count < count && outcome == GOOD; list->count++)
        outcome = read_value(shape->item, json_array_get(json, list->count),
                             (char *)list->items + list->count * shape->item->size);
    return outcome;
}

static enum outcome read_entry(const struct shape *shape, const char *name, const json_t *json, char *entry)
{
    enum outcome outcome;
    if (shape->key->kind == ENUM)
        outcome = read_name(shape->key, name, (int *)(void *)entry);
    else
        outcome = (*(char **)(void *)entry = strdup(name)) ? GOOD : NO_MEMORY;
    return outcome == GOOD ? read_value(shape->item, json, entry + shape->offset) : outcome;
}

static enum outcome read_map(const struct shape *shape, json_t *json, struct items *map)
{
    if (!json_is_object(json))
        return WRONG;
    size_t count = json_object_size(json);
    map->items = calloc(count ? count : 1, shape->stride);
    if (!map->items)
        return NO_MEMORY;
    enum outcome outcome = GOOD;
    for (void *at = json_object_iter(json); at && outcome == GOOD; at = json_object_iter_next(json, at))
        outcome = read_entry(shape, json_object_iter_key(at), json_object_iter_value(at),
                             (char *)map->items + map->count++ * shape->stride);
    return outcome;
}

/* Members that the client does not know are ignored, and null is the same as absent. */
static enum outcome read_member(const struct member *member, const json_t *json, char *record)
{
    if (!json || (json_is_null(json) && member->shape->kind != ANY))
        return (member->flags & (REQUIRED | NULLABLE)) == REQUIRED ? WRONG : GOOD;
    return read_value(member->shape, json, record + member->offset);
}

static enum outcome read_record(const struct shape *shape, const json_t *json, char *record)
{
    if (!json_is_object(json))
        return WRONG;
    enum outcome outcome = GOOD;
    for (size_t index = 0; index < shape->count && outcome == GOOD; index++) {
        const struct member *member = &shape->members[index];
        outcome = read_member(member, json_object_get(json, member->name), record);
    }
    return outcome;
}

static enum outcome read_pointer(const struct shape *shape, const json_t *json, void **place)
{
    *place = calloc(1, shape->item->size);
    return *place ? read_value(shape->item, json, *place) : NO_MEMORY;
}

static enum outcome read_integer(const json_t *json, int64_t *place)
{
    *place = json_integer_value(json);
    return json_is_integer(json) ? GOOD : WRONG;
}

/* Reads into zeroed memory. After a failure, clear_value releases what was read. */
static enum outcome read_value(const struct shape *shape, const json_t *json, void *place)
{
    switch (shape->kind) {
    case TEXT: return read_text(json, place);
    case BYTES: return read_bytes(json, place);
    case INTEGER: return read_integer(json, place);
    case NUMBER: *(double *)place = json_number_value(json); return json_is_number(json) ? GOOD : WRONG;
    case BOOLEAN: *(bool *)place = json_is_true(json); return json_is_boolean(json) ? GOOD : WRONG;
    case TIME: return read_time(json, place);
    case DURATION: return WRONG; /* The server sends none. */
    case OBJECT:
    case ANY: return read_json(shape, json, place);
    case ENUM: return read_name(shape, json_string_value(json), place);
    case RECORD: return read_record(shape, json, place);
    case LIST: return read_list(shape, json, place);
    case MAP: return read_map(shape, (json_t *)(uintptr_t)json, place);
    case POINTER: return read_pointer(shape, json, place);
    case OPTIONAL: *(bool *)place = true; return read_value(shape->item, json, (char *)place + shape->offset);
    case CHANGE: return WRONG;
    }
    return WRONG;
}

/* Releasing */

static void clear_value(const struct shape *shape, void *place);

static void free_text(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
}

static void clear_bytes(mambridge_bytes_t *bytes)
{
    void *data = (void *)(uintptr_t)bytes->data;
    if (data)
        explicit_bzero(data, bytes->size);
    free(data);
}

static void clear_record(const struct shape *shape, char *record)
{
    for (size_t index = 0; index < shape->count; index++)
        clear_value(shape->members[index].shape, record + shape->members[index].offset);
}

static void clear_list(const struct shape *shape, struct items *list)
{
    for (size_t index = 0; index < list->count; index++)
        clear_value(shape->item, (char *)list->items + index * shape->item->size);
    free(list->items);
}

static void clear_map(const struct shape *shape, struct items *map)
{
    for (size_t index = 0; index < map->count; index++) {
        char *entry = (char *)map->items + index * shape->stride;
        clear_value(shape->key, entry);
        clear_value(shape->item, entry + shape->offset);
    }
    free(map->items);
}

static void free_value(const struct shape *shape, void *value)
{
    if (value)
        clear_value(shape, value);
    free(value);
}

/* Releases what a value that was read owns, and zeroes it. */
static void clear_value(const struct shape *shape, void *place)
{
    switch (shape->kind) {
    case TEXT: free_text(*(char **)place); break;
    case BYTES: clear_bytes(place); break;
    case OBJECT:
    case ANY: json_decref(*(json_t **)place); break;
    case RECORD: clear_record(shape, place); break;
    case LIST: clear_list(shape, place); break;
    case MAP: clear_map(shape, place); break;
    case POINTER: free_value(shape->item, *(void **)place); break;
    default: break; /* The others own nothing. */
    }
    memset(place, 0, shape->size);
}

void mambridge_string_free(char *string)
{
    free_text(string);
}

void mambridge_bytes_free(mambridge_bytes_t *bytes)
{
    if (bytes)
        clear_value(&bytes_shape, bytes);
}

/* Writing */

static bool is_absent(const struct shape *shape, const void *place)
{
    switch (shape->kind) {
    case TEXT: return !*(char *const *)place;
    case BYTES:
    case LIST:
    case MAP: return !((const struct items *)place)->items;
    case OBJECT:
    case ANY: return !*(json_t *const *)place;
    case POINTER: return !*(void *const *)place;
    case ENUM: return *(const int *)place == 0;
    case OPTIONAL: return !*(const bool *)place;
    case CHANGE: return *(const int *)place == MAMBRIDGE_KEEP;
    default: return false;
    }
}

/* Clears the texts of a JSON value that nobody else uses, because one may be a secret, and releases it. */
static void wipe_texts(json_t *json)
{
    size_t index;
    const char *name;
    json_t *value;
    if (json_is_string(json))
        explicit_bzero((char *)(uintptr_t)json_string_value(json), json_string_length(json));
    json_array_foreach(json, index, value)
        wipe_texts(value);
    if (json_is_object(json))
        json_object_foreach(json, name, value)
            wipe_texts(value);
}

static void wipe(json_t *json)
{
    if (json)
        wipe_texts(json);
    json_decref(json);
}

static json_t *write_enum(const struct shape *shape, int value, enum outcome *outcome)
{
    if (!shape->names && value > 0)
        return json_integer(value);
    if (value > 0 && (size_t)value <= shape->count)
        return json_string_nocheck(shape->names[value - 1]);
    *outcome = WRONG;
    return NULL;
}

static json_t *write_text(const char *text, enum outcome *outcome)
{
    json_t *json = text ? json_string_nocheck(text) : NULL;
    json_t *checked = json ? json_string(text) : NULL;
    if (!checked && (json || !text)) /* missing, or not UTF-8 */
        *outcome = WRONG;
    wipe(json);
    return checked;
}

static json_t *write_list(const struct shape *shape, const struct items *list, enum outcome *outcome)
{
    json_t *array = json_array();
    for (size_t index = 0; array && index < list->count; index++) {
        json_t *item = write_value(shape->item, (const char *)list->items + index * shape->item->size, outcome);
        if (!item || json_array_append_new(array, item)) {
            wipe(array);
            return NULL;
        }
    }
    return array;
}

static json_t *write_change(const struct shape *shape, const char *place, enum outcome *outcome)
{
    if (*(const int *)(const void *)place == MAMBRIDGE_RESET)
        return json_null();
    return write_value(shape->item, place + shape->offset, outcome);
}

static json_t *write_empty(const struct member *member, enum outcome *outcome)
{
    if (member->flags & NULLABLE || member->shape->kind == ANY)
        return json_null();
    if (member->shape->kind == LIST)
        return json_array();
    if (member->shape->kind == BYTES)
        return json_string("");
    *outcome = WRONG;
    return NULL;
}

/* Adds copies, because what is sent is cleared. */
static enum outcome write_rest(const json_t *rest, json_t *object)
{
    if (!json_is_object(rest))
        return WRONG;
    json_t *copy = json_deep_copy(rest);
    bool good = copy && json_object_update_missing(object, copy) == 0;
    json_decref(copy);
    return good ? GOOD : NO_MEMORY;
}

/* Adds a member to an object, if it is given. */
static enum outcome write_member(const struct member *member, const void *place, json_t *object)
{
    enum outcome outcome = GOOD;
    bool absent = is_absent(member->shape, place);
    if (absent && !(member->flags & REQUIRED))
        return GOOD;
    if (member->flags & REST)
        return write_rest(*(json_t *const *)place, object);
    json_t *value = absent ? write_empty(member, &outcome) : write_value(member->shape, place, &outcome);
    if (value && json_object_set_new_nocheck(object, member->name, value) == 0)
        return GOOD;
    return outcome == GOOD ? NO_MEMORY : outcome;
}

static json_t *write_record(const struct shape *shape, const char *record, enum outcome *outcome)
{
    json_t *object = json_object();
    for (size_t index = 0; object && index < shape->count; index++) {
        const struct member *member = &shape->members[index];
        enum outcome written = write_member(member, record + member->offset, object);
        if (written != GOOD) {
            *outcome = written;
            wipe(object);
            return NULL;
        }
    }
    return object;
}

static json_t *write_number(double number, enum outcome *outcome)
{
    if (number - number != 0) /* infinite, or no number */
        *outcome = WRONG;
    return *outcome == WRONG ? NULL : json_real(number);
}

/* Returns NULL if memory runs out, or with the outcome WRONG if the value cannot be sent. */
static json_t *write_value(const struct shape *shape, const void *place, enum outcome *outcome)
{
    switch (shape->kind) {
    case TEXT: return write_text(*(const char *const *)place, outcome);
    case BYTES: return write_bytes(place);
    case INTEGER: return json_integer(*(const int64_t *)place);
    case NUMBER: return write_number(*(const double *)place, outcome);
    case BOOLEAN: return json_boolean(*(const bool *)place);
    case TIME: return write_time(place, outcome);
    case DURATION: return write_duration(place, outcome);
    case OBJECT:
    case ANY: return json_deep_copy(*(json_t *const *)place);
    case ENUM: return write_enum(shape, *(const int *)place, outcome);
    case RECORD: return write_record(shape, place, outcome);
    case LIST: return write_list(shape, place, outcome);
    case POINTER: return write_value(shape->item, *(void *const *)place, outcome);
    case OPTIONAL: return write_value(shape->item, (const char *)place + shape->offset, outcome);
    case CHANGE: return write_change(shape, place, outcome);
    case MAP: break; /* The client sends none. */
    }
    *outcome = WRONG;
    return NULL;
}
