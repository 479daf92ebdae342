/* Methods: calls with types. */

static bool fail_for_member(mambridge_error_t *error, enum outcome outcome, const struct method *method,
                            const char *member)
{
    char message[300];
    if (outcome == NO_MEMORY)
        return fail_for_memory(error);
    snprintf(message, sizeof message, "the parameter %s of %s is missing, or has a value that cannot be sent", member,
             method->name);
    return fail(error, MAMBRIDGE_ERROR_WRONG_ARGUMENT, message);
}

static bool add_member(json_t *params, const struct method *method, const struct member *member, const void *place,
                       mambridge_error_t *error)
{
    enum outcome outcome = write_member(member, place, params);
    return outcome == GOOD || fail_for_member(error, outcome, method, member->name);
}

static bool add_params(json_t *object, const struct method *method, const void *const *values, const void *params,
                       mambridge_error_t *error)
{
    bool good = true;
    for (size_t index = 0; good && index < method->given_count; index++)
        good = add_member(object, method, &method->given[index], values[index], error);
    for (size_t index = 0; good && params && method->optional && index < method->optional->count; index++) {
        const struct member *member = &method->optional->members[index];
        good = add_member(object, method, member, (const char *)params + member->offset, error);
    }
    return good;
}

/* The host's handlers are declared where the caller declares nothing. */
static bool declare(const mambridge_client_t *client, const struct method *method, json_t *params)
{
    if (strcmp(method->name, "initialize") != 0 || json_object_get(params, "delegates"))
        return true;
    json_t *names = json_array();
    for (size_t index = 0; names && index < QUESTION_COUNT; index++)
        if (questions[index].ask(NULL, &client->host, NULL)
            && json_array_append_new(names, json_string(questions[index].name))) {
            json_decref(names);
            return false;
        }
    return json_object_set_new(params, "delegates", names) == 0;
}

static bool read_result(const struct method *method, const json_t *json, void *result, mambridge_error_t *error)
{
    if (!result || !method->result || (json_is_null(json) && method->may_be_null))
        return true;
    enum outcome outcome = read_value(method->result, json, result);
    if (outcome == GOOD)
        return true;
    clear_value(method->result, result);
    if (outcome == NO_MEMORY)
        return fail_for_memory(error);
    return fail_with(error, MAMBRIDGE_ERROR_UNEXPECTED_REPLY, "the client cannot read the result of %s", method->name);
}

/* Calls a method. `params`, if any, begins with the options. */
static bool invoke(mambridge_client_t *client, const struct method *method, const void *const *values,
                   const void *params, void *result, mambridge_error_t *error)
{
    if (result && method->result)
        memset(result, 0, method->result->size);
    json_t *object = json_object();
    bool good = object ? add_params(object, method, values, params, error) : fail_for_memory(error);
    if (good && !declare(client, method, object))
        good = fail_for_memory(error);
    if (!good) {
        wipe(object);
        return false;
    }
    if (json_object_size(object) == 0) {
        json_decref(object);
        object = NULL;
    }
    json_t *found = result_of(client, method->name, object, params, error);
    good = found && read_result(method, found, result, error);
    json_decref(found);
    return good;
}
