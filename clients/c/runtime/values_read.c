/* Values from JSON, and their release. */

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
