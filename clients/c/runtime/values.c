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
