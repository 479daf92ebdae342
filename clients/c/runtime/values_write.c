/* Values to JSON. */

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
