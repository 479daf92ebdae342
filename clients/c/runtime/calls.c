/* A client and its calls. */

/* A request that waits for its reply, on the stack of its caller. Progress is heard before the end. */
struct call {
    struct call *next;          /* in the client */
    struct call *next_canceled; /* in the canceler */
    mambridge_client_t *client;
    int64_t number;
    size_t size;
    pthread_cond_t changed;
    json_t *reply;
    json_t *progress; /* an array */
    bool is_canceled, cancel_is_sent;
};

struct mambridge_canceler {
    pthread_mutex_t state;
    bool is_canceled;
    struct call *calls;
};

struct worker {
    struct worker *next;
    mambridge_client_t *client;
    pthread_t thread;
    json_t *message; /* of the server, to be answered */
    bool is_done, is_abandoned;
};

struct mambridge_client {
    struct stream stream;
    mambridge_host_t host;
    mambridge_client_options_t options;
    pthread_mutex_t state;
    pthread_cond_t changed; /* a worker is done, the writer is free, or an event came */
    int references;
    bool is_closed, is_lost, is_writing;
    char lost[LAST_LINES * (LAST_LINE + 3) + 200]; /* why */
    struct call *calls;
    int64_t last_number;
    struct worker *reader;
    struct worker *workers; /* all, with the reader */
    json_t *events;         /* an array of notifications, or NULL without a handler */
    int64_t gap_after, gap_to; /* the numbers of the events that were dropped before them; 0 for none */
};

struct mambridge_request {
    mambridge_client_t *client;
    const json_t *id;
    const struct question *question;
    bool is_answered;
};

/* A method: the parameters that are arguments of its function, those in its struct of params, and the result. */
struct method {
    const char *name;
    const struct member *given;
    size_t given_count;
    const struct shape *optional;
    const struct shape *result;
    bool may_be_null;
};

/* Errors */

void mambridge_error_clear(mambridge_error_t *error)
{
    if (!error)
        return;
    json_decref(error->memory);
    *error = (mambridge_error_t){0};
}

/* Sets an error of the client, and returns false. If memory runs out, the kind says enough. */
static bool fail(mambridge_error_t *error, mambridge_error_kind_t kind, const char *message)
{
    if (!error)
        return false;
    mambridge_error_clear(error);
    error->kind = kind;
    error->memory = json_string_nocheck(message);
    error->message = error->memory ? json_string_value(error->memory) : "out of memory";
    return false;
}

static bool fail_with(mambridge_error_t *error, mambridge_error_kind_t kind, const char *format, const char *detail)
{
    char message[1000];
    snprintf(message, sizeof message, format, detail);
    return fail(error, kind, message);
}

static bool fail_for_memory(mambridge_error_t *error)
{
    return fail(error, MAMBRIDGE_ERROR_OUT_OF_MEMORY, "out of memory");
}

static const struct known_error *find_error(const char *name)
{
    for (size_t index = 0; name && index < KNOWN_ERROR_COUNT; index++)
        if (strcmp(known_errors[index].name, name) == 0)
            return &known_errors[index];
    return NULL;
}

static const char *text_in(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* Sets an error of the server, and returns false. */
static bool fail_with_reply(mambridge_error_t *error, json_t *wire)
{
    if (!error)
        return false;
    mambridge_error_clear(error);
    error->memory = json_incref(wire);
    error->data = json_object_get(wire, "data");
    error->code = json_integer_value(json_object_get(wire, "code"));
    error->name = text_in(error->data, "name");
    error->message = text_in(wire, "message") ? text_in(wire, "message") : "";
    error->hint = text_in(error->data, "hint");
    error->domain = text_in(error->data, "domain");
    error->sdk_code = json_integer_value(json_object_get(error->data, "sdkCode"));
    error->retryable = json_is_true(json_object_get(error->data, "retryable"));
    const struct known_error *known = find_error(error->name);
    error->kind = known ? known->kind : MAMBRIDGE_ERROR_OTHER;
    return false;
}

/* Says why no call can be made, if so. The state is locked. */
static bool check_connection(mambridge_client_t *client, mambridge_error_t *error)
{
    if (!client->is_lost && !client->is_closed)
        return true;
    fail(error, MAMBRIDGE_ERROR_CONNECTION_LOST, client->is_lost ? client->lost : "this client is closed");
    if (error && client->stream.pid && client->stream.has_exited)
        error->exit_code = mambridge_integer(client->stream.exit_code);
    return false;
}

/* Waiting */

static void lock(mambridge_client_t *client)
{
    pthread_mutex_lock(&client->state);
}

static void unlock(mambridge_client_t *client)
{
    pthread_mutex_unlock(&client->state);
}

/* Returns false when the deadline has passed. */
static bool wait_for(pthread_cond_t *condition, mambridge_client_t *client, const struct timespec *deadline)
{
    if (!deadline)
        return pthread_cond_wait(condition, &client->state) == 0;
    return pthread_cond_timedwait(condition, &client->state, deadline) != ETIMEDOUT;
}

static bool init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes))
        return false;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    bool good = pthread_cond_init(condition, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return good;
}

/* Writing */

/* Returns a message as a line without its end, or NULL if memory runs out. */
static char *line_of(const json_t *message, size_t *size)
{
    *size = json_dumpb(message, NULL, 0, JSON_COMPACT);
    char *line = *size ? malloc(*size + 1) : NULL;
    if (line && json_dumpb(message, line, *size, JSON_COMPACT) != *size) {
        free(line);
        return NULL;
    }
    return line;
}

static bool take_turn(mambridge_client_t *client, const struct timespec *deadline, mambridge_error_t *error)
{
    bool in_time = true;
    lock(client);
    while (client->is_writing && !client->is_lost && !client->is_closed && in_time)
        in_time = wait_for(&client->changed, client, deadline);
    bool good = check_connection(client, error);
    if (good && client->is_writing)
        good = fail(error, MAMBRIDGE_ERROR_TIMED_OUT, "mambridge does not read fast enough");
    client->is_writing = client->is_writing || good;
    unlock(client);
    return good;
}

static void end_turn(mambridge_client_t *client)
{
    lock(client);
    client->is_writing = false;
    pthread_cond_broadcast(&client->changed);
    unlock(client);
}

/* Ends every call that waits. The state is locked, and says why. */
static void end_calls(mambridge_client_t *client)
{
    client->is_lost = true;
    for (struct call *call = client->calls; call; call = call->next)
        pthread_cond_signal(&call->changed);
    pthread_cond_broadcast(&client->changed);
}

/* Ends the connection, because nothing can follow half a message. */
static void stop_halfway(mambridge_client_t *client)
{
    lock(client);
    if (!client->is_lost) {
        snprintf(client->lost, sizeof client->lost, "mambridge stopped reading in the middle of a message");
        end_calls(client);
    }
    unlock(client);
    shutdown(client->stream.socket, SHUT_RDWR);
}

/* The reader notices the end, too, and knows the reason. */
static bool fail_to_write(mambridge_client_t *client, const struct timespec *deadline, mambridge_error_t *error)
{
    int left = milliseconds_until(deadline);
    struct timespec end = after_milliseconds(left < 0 || left > 10000 ? 10000 : left);
    lock(client);
    while (!client->is_lost && wait_for(&client->changed, client, &end))
        continue;
    if (check_connection(client, error))
        fail(error, MAMBRIDGE_ERROR_CONNECTION_LOST, "mambridge does not read any more");
    unlock(client);
    return false;
}

static bool write_line(mambridge_client_t *client, const char *line, size_t size, const struct timespec *deadline,
                       mambridge_error_t *error)
{
    if (!take_turn(client, deadline, error))
        return false;
    size_t sent = write_stream(&client->stream, line, size, deadline);
    bool late = sent < size && errno == ETIMEDOUT;
    if (late && sent)
        stop_halfway(client);
    end_turn(client);
    if (late)
        return fail(error, MAMBRIDGE_ERROR_TIMED_OUT, "mambridge does not read");
    return sent == size || fail_to_write(client, deadline, error);
}

/* Writes a message, which may hold secrets, and clears the copy. `size` is that of the line, if asked for. */
static bool write_message(mambridge_client_t *client, json_t *message, const struct timespec *deadline, size_t *length,
                          mambridge_error_t *error)
{
    size_t size = 0;
    char *line = message ? line_of(message, &size) : NULL;
    wipe(message);
    if (!line)
        return fail_for_memory(error);
    line[size++] = '\n';
    if (length)
        *length = size;
    bool good = write_line(client, line, size, deadline, error);
    explicit_bzero(line, size);
    free(line);
    return good;
}

/* Cancelers */

mambridge_canceler_t *mambridge_canceler_new(void)
{
    mambridge_canceler_t *canceler = calloc(1, sizeof *canceler);
    if (canceler && pthread_mutex_init(&canceler->state, NULL)) {
        free(canceler);
        return NULL;
    }
    return canceler;
}

void mambridge_canceler_free(mambridge_canceler_t *canceler)
{
    if (canceler)
        pthread_mutex_destroy(&canceler->state);
    free(canceler);
}

void mambridge_canceler_cancel(mambridge_canceler_t *canceler)
{
    pthread_mutex_lock(&canceler->state);
    canceler->is_canceled = true;
    for (struct call *call = canceler->calls; call; call = call->next_canceled) {
        lock(call->client);
        call->is_canceled = true;
        pthread_cond_signal(&call->changed);
        unlock(call->client);
    }
    pthread_mutex_unlock(&canceler->state);
}

/* Returns false if it was canceled before. */
static bool join_canceler(mambridge_canceler_t *canceler, struct call *call)
{
    if (!canceler)
        return true;
    pthread_mutex_lock(&canceler->state);
    bool good = !canceler->is_canceled;
    if (good) {
        call->next_canceled = canceler->calls;
        canceler->calls = call;
    }
    pthread_mutex_unlock(&canceler->state);
    return good;
}

static void leave_canceler(mambridge_canceler_t *canceler, struct call *call)
{
    if (!canceler)
        return;
    pthread_mutex_lock(&canceler->state);
    for (struct call **at = &canceler->calls; *at; at = &(*at)->next_canceled)
        if (*at == call) {
            *at = call->next_canceled;
            break;
        }
    pthread_mutex_unlock(&canceler->state);
}

/* Calls */

static bool remember(mambridge_client_t *client, struct call *call, mambridge_error_t *error)
{
    lock(client);
    bool good = check_connection(client, error);
    if (good) {
        call->number = ++client->last_number;
        call->next = client->calls;
        client->calls = call;
    }
    unlock(client);
    return good;
}

/* Returns false if the reader has taken the call. The state is locked. */
static bool forget(mambridge_client_t *client, const struct call *call)
{
    for (struct call **at = &client->calls; *at; at = &(*at)->next)
        if (*at == call) {
            *at = call->next;
            return true;
        }
    return false;
}

static void send_cancel(mambridge_client_t *client, const struct call *call, const struct timespec *deadline)
{
    struct timespec end = after_milliseconds(1000 * PATIENCE);
    json_t *message = json_pack("{s:s, s:s, s:{s:I}}", "jsonrpc", "2.0", "method", "$/cancelRequest", "params", "id",
                                (json_int_t)call->number);
    write_message(client, message, deadline ? deadline : &end, NULL, NULL);
}

static void report_progress(const json_t *value, const mambridge_options_t *options)
{
    mambridge_progress_t progress = {text_in(value, "kind"), {false, 0}, text_in(value, "message")};
    const json_t *percentage = json_object_get(value, "percentage");
    if (!progress.kind)
        progress.kind = "report";
    if (json_is_number(percentage))
        progress.percentage = mambridge_number(json_number_value(percentage));
    options->on_progress(&progress, options->user);
}

/* Does what a call has to do while it waits. The state is locked before and after. Returns false for nothing. */
static bool work_while_waiting(mambridge_client_t *client, struct call *call, const mambridge_options_t *options,
                               const struct timespec *deadline)
{
    size_t index;
    json_t *value, *progress = call->progress;
    bool cancel = call->is_canceled && !call->cancel_is_sent;
    if (!progress && !cancel)
        return false;
    call->progress = NULL;
    call->cancel_is_sent = call->is_canceled;
    unlock(client);
    if (cancel)
        send_cancel(client, call, deadline);
    json_array_foreach(progress, index, value)
        report_progress(value, options);
    json_decref(progress);
    lock(client);
    return true;
}

/* Returns the reply, which is the caller's. */
static json_t *wait_for_reply(mambridge_client_t *client, struct call *call, const mambridge_options_t *options,
                              const struct timespec *deadline, mambridge_error_t *error)
{
    bool in_time = true;
    lock(client);
    for (;;) {
        if (work_while_waiting(client, call, options, deadline))
            continue;
        if (call->reply || client->is_lost || !in_time)
            break;
        in_time = wait_for(&call->changed, client, deadline);
    }
    forget(client, call);
    if (!call->reply && client->is_lost)
        check_connection(client, error);
    bool late = !call->reply && !client->is_lost;
    unlock(client);
    if (late) {
        send_cancel(client, call, deadline);
        fail(error, MAMBRIDGE_ERROR_TIMED_OUT, "mambridge did not answer in time");
    }
    return call->reply;
}

static int64_t limit_of(const mambridge_client_t *client, const mambridge_options_t *options)
{
    int64_t limit = options->timeout_milliseconds;
    if (!limit)
        limit = client->options.timeout_milliseconds;
    return limit < 0 ? 1 : limit > 86400000 ? 86400000 : limit;
}

/* Adds the deadline, and asks for progress under the number of the request. */
static bool add_options(json_t *message, const struct call *call, const mambridge_options_t *options, int64_t limit)
{
    if (!limit && !options->on_progress)
        return true;
    json_t *params = json_object_get(message, "params"), *meta = json_object();
    if (!params && json_object_set_new(message, "params", params = json_object())) {
        json_decref(meta);
        return false;
    }
    if (json_is_array(params)) { /* by position: the client alone watches the time */
        json_decref(meta);
        return true;
    }
    if (json_object_set_new(params, "_meta", meta))
        return false;
    if (limit && json_object_set_new(meta, "timeoutMilliseconds", json_integer(limit)))
        return false;
    return !options->on_progress || json_object_set_new(meta, "progressToken", json_integer(call->number)) == 0;
}

/* Takes the params. Returns NULL if memory runs out. */
static json_t *request_of(const struct call *call, const char *method, json_t *params,
                          const mambridge_options_t *options, int64_t limit)
{
    json_t *message = json_pack("{s:s, s:I, s:s}", "jsonrpc", "2.0", "id", (json_int_t)call->number, "method", method);
    if (!message) {
        wipe(params);
        return NULL;
    }
    if ((!params || json_object_set_new(message, "params", params) == 0) && add_options(message, call, options, limit))
        return message;
    wipe(message);
    return NULL;
}

/* Sends a remembered call and waits. Takes the params. */
static json_t *exchange(mambridge_client_t *client, struct call *call, const char *method, json_t *params,
                        const mambridge_options_t *options, mambridge_error_t *error)
{
    int64_t limit = limit_of(client, options);
    struct timespec end = after_milliseconds(limit + 1000 * PATIENCE), *deadline = limit ? &end : NULL;
    json_t *message = request_of(call, method, params, options, limit);
    if (write_message(client, message, deadline, &call->size, error))
        return wait_for_reply(client, call, options, deadline, error);
    lock(client);
    forget(client, call);
    unlock(client);
    return call->reply;
}

/* Returns the reply, or NULL after a failure. Takes the params. */
static json_t *request(mambridge_client_t *client, const char *method, json_t *params,
                       const mambridge_options_t *options, mambridge_error_t *error)
{
    static const mambridge_options_t none;
    struct call call = {.client = client};
    options = options ? options : &none;
    if (!init_condition(&call.changed)) {
        wipe(params);
        fail_for_memory(error);
        return NULL;
    }
    if (!join_canceler(options->canceler, &call)) {
        wipe(params);
        fail(error, MAMBRIDGE_ERROR_CANCELLED, "canceled before the call");
    } else if (!remember(client, &call, error))
        wipe(params);
    else
        exchange(client, &call, method, params, options, error);
    leave_canceler(options->canceler, &call);
    pthread_cond_destroy(&call.changed);
    json_decref(call.progress);
    return call.reply;
}

/* Returns the result of a method, which is the caller's, or NULL after a failure. Takes the params. */
static json_t *result_of(mambridge_client_t *client, const char *method, json_t *params,
                         const mambridge_options_t *options, mambridge_error_t *error)
{
    json_t *reply = request(client, method, params, options, error), *wire = json_object_get(reply, "error");
    json_t *result = wire ? NULL : json_incref(json_object_get(reply, "result"));
    if (wire)
        fail_with_reply(error, wire);
    else if (reply && !result)
        fail_with(error, MAMBRIDGE_ERROR_UNEXPECTED_REPLY, "the reply to %s has no result", method);
    json_decref(reply);
    return result;
}

bool mambridge_call(mambridge_client_t *client, const char *method, json_t *params, const mambridge_options_t *options,
                    json_t **result, mambridge_error_t *error)
{
    json_t *copy = params ? json_deep_copy(params) : NULL;
    if (result)
        *result = NULL;
    if (params && !copy)
        return fail_for_memory(error);
    json_t *found = result_of(client, method, copy, options, error);
    if (result)
        *result = found;
    else
        json_decref(found);
    return found != NULL;
}

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
    json_t *found = result_of(client, method->name, object, params, error);
    good = found && read_result(method, found, result, error);
    json_decref(found);
    return good;
}
