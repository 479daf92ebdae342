/* A client and its threads: a reader, one for each request of the server, and one for events if there is a handler. */

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

/* The reader notices the end, too, and knows the reason. */
static bool fail_to_write(mambridge_client_t *client, mambridge_error_t *error)
{
    struct timespec deadline = after_milliseconds(10000);
    lock(client);
    while (!client->is_lost && wait_for(&client->changed, client, &deadline))
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
        shutdown(client->stream.socket, SHUT_RDWR); /* Nothing can follow half a message. */
    end_turn(client);
    if (late && !sent)
        return fail(error, MAMBRIDGE_ERROR_TIMED_OUT, "mambridge does not read");
    return sent == size || fail_to_write(client, error);
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

static void send_cancel(mambridge_client_t *client, const struct call *call)
{
    struct timespec deadline = after_milliseconds(1000 * PATIENCE);
    json_t *message = json_pack("{s:s, s:s, s:{s:I}}", "jsonrpc", "2.0", "method", "$/cancelRequest", "params", "id",
                                (json_int_t)call->number);
    write_message(client, message, &deadline, NULL, NULL);
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
static bool work_while_waiting(mambridge_client_t *client, struct call *call, const mambridge_options_t *options)
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
        send_cancel(client, call);
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
        if (work_while_waiting(client, call, options))
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
        send_cancel(client, call);
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

/* Requests of the server */

mambridge_client_t *mambridge_request_client(const mambridge_request_t *request)
{
    return request->client;
}

/* Takes the answer, which is a result or an error. */
static bool send_answer(mambridge_request_t *request, const char *member, json_t *answer)
{
    struct timespec deadline = after_milliseconds(60000);
    json_t *id = json_deep_copy(request->id);
    if (!answer || !id || request->is_answered) {
        wipe(answer);
        json_decref(id);
        return false;
    }
    json_t *message = json_pack("{s:s, s:o, s:o}", "jsonrpc", "2.0", "id", id, member, answer);
    request->is_answered = write_message(request->client, message, &deadline, NULL, NULL);
    return request->is_answered;
}

static bool send_refusal(mambridge_request_t *request, int64_t code, const char *message)
{
    return send_answer(request, "error", json_pack("{s:I, s:s}", "code", (json_int_t)code, "message", message));
}

bool mambridge_refuse(mambridge_request_t *request, mambridge_error_kind_t kind, const char *message)
{
    for (size_t index = 0; index < KNOWN_ERROR_COUNT; index++)
        if (known_errors[index].kind == kind)
            return send_refusal(request, known_errors[index].code, message ? message : known_errors[index].message);
    return send_refusal(request, -32603, message ? message : "the host failed to answer");
}

/* Answers with a value, if the request is the one that the value is for. */
static bool answer(mambridge_request_t *request, size_t number, const void *value)
{
    const struct question *question = &questions[number];
    enum outcome outcome = GOOD;
    if (request->question != question)
        return false;
    struct member member = {"result", question->result, 0, REQUIRED | (question->may_be_null ? NULLABLE : 0)};
    json_t *result;
    if (!value)
        result = json_null();
    else
        result = is_absent(member.shape, value) ? write_empty(&member, &outcome)
                                                : write_value(member.shape, value, &outcome);
    return send_answer(request, "result", result);
}

static const struct question *find_question(const char *name)
{
    for (size_t index = 0; index < QUESTION_COUNT; index++)
        if (strcmp(questions[index].name, name) == 0)
            return &questions[index];
    return NULL;
}

static void ask_host(mambridge_request_t *request, const json_t *params)
{
    const struct shape *shape = request->question->params;
    char *values = calloc(1, shape->size);
    enum outcome outcome = values ? GOOD : NO_MEMORY;
    if (values && shape->count)
        outcome = read_record(shape, params, values);
    if (outcome == GOOD)
        request->question->ask(request, &request->client->host, values);
    else if (outcome == WRONG)
        send_refusal(request, -32602, "this host cannot read the params");
    if (values)
        clear_value(shape, values);
    free(values);
}

static void answer_message(mambridge_client_t *client, const json_t *message)
{
    const char *name = text_in(message, "method");
    mambridge_request_t request = {client, json_object_get(message, "id"), find_question(name), false};
    if (!request.question || !request.question->ask(NULL, &client->host, NULL))
        send_refusal(&request, -32601, "this host does not answer the method");
    else
        ask_host(&request, json_object_get(message, "params"));
    if (!request.is_answered)
        send_refusal(&request, -32603, "the host failed to answer");
}

/* Events */

/* Leaves the name and the params. */
static void clear_event(mambridge_event_t *event)
{
    for (size_t index = 0; index < EVENT_COUNT; index++)
        if (event_shapes[index].kind == event->kind)
            clear_value(event_shapes[index].shape, &event->as);
    event->kind = MAMBRIDGE_EVENT_UNRECOGNIZED;
}

static void read_event(const char *name, const json_t *params, mambridge_event_t *event)
{
    event->name = name;
    event->params = params;
    for (size_t index = 0; index < EVENT_COUNT; index++)
        if (strcmp(event_shapes[index].name, name) == 0) {
            event->kind = event_shapes[index].kind;
            if (read_record(event_shapes[index].shape, params, (char *)&event->as) != GOOD)
                clear_event(event);
            return;
        }
}

mambridge_event_t *mambridge_event_read(const mambridge_event_entry_t *entry)
{
    mambridge_event_t *event = calloc(1, sizeof *event);
    int type = (int)entry->type;
    if (event)
        read_event(type > 0 ? event_name_shape.names[type - 1] : "", entry->params, event);
    return event;
}

void mambridge_event_free(mambridge_event_t *event)
{
    if (event)
        clear_event(event);
    free(event);
}

static void handle_event(mambridge_client_t *client, const json_t *message)
{
    mambridge_event_t event = {0};
    read_event(text_in(message, "method"), json_object_get(message, "params"), &event);
    client->options.on_event(client, &event, client->options.user);
    clear_event(&event);
}

/* Returns the next event, or NULL at the end. */
static json_t *next_event(mambridge_client_t *client)
{
    lock(client);
    while (json_array_size(client->events) == 0 && !client->is_lost)
        wait_for(&client->changed, client, NULL);
    json_t *event = json_incref(json_array_get(client->events, 0));
    json_array_remove(client->events, 0);
    unlock(client);
    return event;
}

/* Threads */

static void destroy(mambridge_client_t *client)
{
    close(client->stream.socket);
    if (client->stream.stderr_pipe >= 0)
        close(client->stream.stderr_pipe);
    json_decref(client->events);
    pthread_cond_destroy(&client->changed);
    pthread_mutex_destroy(&client->state);
    free(client);
}

static void release(mambridge_client_t *client)
{
    lock(client);
    bool last = --client->references == 0;
    unlock(client);
    if (last)
        destroy(client);
}

static void *end_worker(struct worker *worker)
{
    mambridge_client_t *client = worker->client;
    lock(client);
    worker->is_done = true;
    bool abandoned = worker->is_abandoned;
    pthread_cond_broadcast(&client->changed);
    unlock(client);
    if (abandoned)
        free(worker);
    release(client);
    return NULL;
}

static void *run_question(void *argument)
{
    struct worker *worker = argument;
    answer_message(worker->client, worker->message);
    json_decref(worker->message);
    return end_worker(worker);
}

static void *run_events(void *argument)
{
    struct worker *worker = argument;
    json_t *event;
    while ((event = next_event(worker->client))) {
        handle_event(worker->client, event);
        json_decref(event);
    }
    return end_worker(worker);
}

/* Starts a thread that no signal of the program runs on. The state is locked. */
static int start_thread(pthread_t *thread, void *(*run)(void *), void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int problem = pthread_create(thread, NULL, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return problem;
}

/* Takes the message if it succeeds. */
static struct worker *start_worker(mambridge_client_t *client, void *(*run)(void *), json_t *message)
{
    struct worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return NULL;
    worker->client = client;
    worker->message = message;
    lock(client);
    if (start_thread(&worker->thread, run, worker)) {
        free(worker);
        worker = NULL;
    } else {
        client->references++;
        worker->next = client->workers;
        client->workers = worker;
    }
    unlock(client);
    return worker;
}

static bool is_current(const struct worker *worker)
{
    return pthread_equal(worker->thread, pthread_self());
}

/* Takes a worker that is done out of the list. The state is locked. */
static struct worker *take_done(mambridge_client_t *client)
{
    for (struct worker **at = &client->workers; *at; at = &(*at)->next)
        if ((*at)->is_done) {
            struct worker *found = *at;
            *at = found->next;
            return found;
        }
    return NULL;
}

static void join_done(mambridge_client_t *client)
{
    struct worker *worker;
    do {
        lock(client);
        worker = take_done(client);
        unlock(client);
        if (worker)
            pthread_join(worker->thread, NULL);
        free(worker);
    } while (worker);
}

static bool others_run(mambridge_client_t *client)
{
    for (struct worker *worker = client->workers; worker; worker = worker->next)
        if (!worker->is_done && !is_current(worker))
            return true;
    return false;
}

/* Waits for all threads of the client but this one, and leaves those that take too long to themselves. */
static void join_workers(mambridge_client_t *client)
{
    struct timespec deadline = after_milliseconds(1000 * PATIENCE);
    lock(client);
    while (others_run(client) && wait_for(&client->changed, client, &deadline))
        continue;
    unlock(client);
    join_done(client);
    lock(client);
    while (client->workers) {
        struct worker *worker = client->workers;
        client->workers = worker->next;
        pthread_detach(worker->thread);
        worker->is_abandoned = true;
        if (worker->is_done)
            free(worker);
    }
    unlock(client);
}

/* What the server sends */

/* If the server could not read a message, most likely that message was too long. */
static struct call *longest_call(mambridge_client_t *client)
{
    struct call *longest = client->calls;
    for (struct call *call = client->calls; call; call = call->next)
        if (call->size > longest->size)
            longest = call;
    return longest;
}

static struct call *find_call(mambridge_client_t *client, const json_t *number)
{
    for (struct call *call = client->calls; call; call = call->next)
        if (json_is_integer(number) && json_integer_value(number) == call->number)
            return call;
    return NULL;
}

/* Each of these takes the message, because the counts of jansson's references are for one thread at a time. */

static void take_reply(mambridge_client_t *client, json_t *message)
{
    const json_t *id = json_object_get(message, "id");
    lock(client);
    struct call *call = json_is_null(id) ? longest_call(client) : find_call(client, id);
    bool wanted = call && forget(client, call);
    if (wanted) {
        call->reply = message;
        pthread_cond_signal(&call->changed);
    }
    unlock(client);
    if (!wanted)
        json_decref(message);
}

static void take_progress(mambridge_client_t *client, json_t *message)
{
    const json_t *params = json_object_get(message, "params");
    json_t *value = json_deep_copy(json_object_get(params, "value"));
    lock(client);
    struct call *call = find_call(client, json_object_get(params, "token"));
    if (call && !call->progress)
        call->progress = json_array();
    if (call && json_array_append(call->progress, value) == 0)
        pthread_cond_signal(&call->changed);
    json_decref(value);
    unlock(client);
    json_decref(message);
}

static void take_event(mambridge_client_t *client, json_t *message)
{
    if (!client->events) {
        json_decref(message);
        return;
    }
    lock(client);
    if (json_array_append_new(client->events, message) == 0)
        pthread_cond_broadcast(&client->changed);
    unlock(client);
}

static void take_question(mambridge_client_t *client, json_t *message)
{
    join_done(client);
    if (!start_worker(client, run_question, message))
        json_decref(message); /* The server goes on by itself after a minute. */
}

/* Returns what is wrong with a message, or NULL. */
static const char *take_message(mambridge_client_t *client, json_t *message)
{
    const char *method = text_in(message, "method");
    if (!json_is_object(message)) {
        json_decref(message);
        return "the server sent JSON that is no message";
    }
    if (!method)
        take_reply(client, message);
    else if (json_object_get(message, "id"))
        take_question(client, message);
    else if (strcmp(method, "$/progress") == 0)
        take_progress(client, message);
    else
        take_event(client, message);
    return NULL;
}

static const char *take_line(mambridge_client_t *client, const char *line, size_t size)
{
    json_error_t problem;
    while (size && (line[size - 1] == '\r' || line[size - 1] == ' '))
        size--;
    if (size == 0)
        return NULL;
    json_t *message = json_loadb(line, size, JSON_ALLOW_NUL, &problem);
    if (!message)
        return json_error_code(&problem) == json_error_out_of_memory ? "out of memory"
                                                                     : "the server sent a line that is not JSON";
    return take_message(client, message);
}

/* What was read and is not yet a line. */
struct buffer {
    char *bytes;
    size_t size, room;
};

/* Handles the lines in a buffer, of which the first `known` bytes have no end of a line. */
static const char *take_lines(mambridge_client_t *client, struct buffer *buffer, size_t known)
{
    const char *broken = NULL;
    size_t start = 0;
    char *end;
    while (!broken && (end = memchr(buffer->bytes + known, '\n', buffer->size - known))) {
        known = (size_t)(end - buffer->bytes) + 1;
        broken = take_line(client, buffer->bytes + start, known - 1 - start);
        start = known;
    }
    memmove(buffer->bytes, buffer->bytes + start, buffer->size - start);
    buffer->size -= start;
    return broken;
}

static bool make_room(struct buffer *buffer)
{
    if (buffer->room - buffer->size >= 1 << 15)
        return true;
    size_t room = buffer->room * 2 + (1 << 16);
    char *bytes = realloc(buffer->bytes, room);
    if (!bytes)
        return false;
    buffer->bytes = bytes;
    buffer->room = room;
    return true;
}

/* Reads until the end, and returns why the rest cannot be read, or NULL. */
static const char *read_lines(mambridge_client_t *client, struct buffer *buffer)
{
    const char *broken = NULL;
    while (!broken) {
        if (!make_room(buffer))
            return "out of memory";
        size_t size = read_stream(&client->stream, buffer->bytes + buffer->size, buffer->room - buffer->size);
        if (size == 0)
            return NULL;
        buffer->size += size;
        broken = take_lines(client, buffer, buffer->size - size);
    }
    return broken;
}

static void add_last_lines(struct stream *stream, char *text, size_t room)
{
    size_t used = strlen(text);
    for (size_t index = 0; index < stream->line_count && used < room; index++)
        used += (size_t)snprintf(text + used, room - used, "%s%s",
                                 index ? " | " : "; its last lines on stderr: ", stream->lines[index]);
}

static bool wait_for_exit(mambridge_client_t *client, int seconds)
{
    struct timespec deadline = after_milliseconds(1000 * (int64_t)seconds), pause = {0, 5000000};
    bool exited = false;
    while (!exited) {
        lock(client);
        exited = has_exited(&client->stream);
        unlock(client);
        if (!exited && milliseconds_until(&deadline) == 0)
            return false;
        if (!exited)
            nanosleep(&pause, NULL);
    }
    return true;
}

/* Like wait_for_exit, but reads stderr, so that the child is not held up. */
static bool wait_and_drain(mambridge_client_t *client)
{
    struct timespec deadline = after_milliseconds(1000 * PATIENCE);
    while (!wait_for_exit(client, 0) && milliseconds_until(&deadline) > 0) {
        drain_stderr(&client->stream, 5);
        if (client->stream.stderr_pipe < 0)
            return wait_for_exit(client, PATIENCE);
    }
    drain_stderr(&client->stream, 100);
    return wait_for_exit(client, 0);
}

static void describe_end(mambridge_client_t *client, const char *broken, bool exited, char *text, size_t room)
{
    if (broken)
        snprintf(text, room, "%s", broken);
    else if (!client->stream.pid)
        snprintf(text, room, "mambridge closed the connection");
    else if (!exited)
        snprintf(text, room, "mambridge closed its output but is still running");
    else {
        snprintf(text, room, "mambridge exited with code %d", client->stream.exit_code);
        add_last_lines(&client->stream, text, room);
    }
}

/* Ends every call that waits. */
static void lose(mambridge_client_t *client, const char *broken)
{
    if (broken)
        shutdown(client->stream.socket, SHUT_RDWR);
    bool exited = client->stream.pid && wait_and_drain(client);
    lock(client);
    describe_end(client, broken, exited, client->lost, sizeof client->lost);
    client->is_lost = true;
    for (struct call *call = client->calls; call; call = call->next)
        pthread_cond_signal(&call->changed);
    pthread_cond_broadcast(&client->changed);
    unlock(client);
}

static void *run_reader(void *argument)
{
    struct worker *worker = argument;
    struct buffer buffer = {NULL, 0, 0};
    const char *broken = read_lines(worker->client, &buffer);
    free(buffer.bytes);
    lose(worker->client, broken);
    return end_worker(worker);
}

/* Start and end */

static mambridge_client_t *new_client(const mambridge_client_options_t *options, mambridge_error_t *error)
{
    mambridge_client_t *client = calloc(1, sizeof *client);
    if (client && !init_condition(&client->changed)) {
        free(client);
        client = NULL;
    }
    if (!client || pthread_mutex_init(&client->state, NULL)) {
        fail_for_memory(error);
        free(client);
        return NULL;
    }
    client->references = 1;
    client->stream.socket = client->stream.stderr_pipe = -1;
    if (options)
        client->options = *options;
    if (client->options.host)
        client->host = *client->options.host;
    return client;
}

static bool start_workers(mambridge_client_t *client)
{
    if (client->options.on_event && !(client->events = json_array()))
        return false;
    client->reader = start_worker(client, run_reader, NULL);
    return client->reader && (!client->events || start_worker(client, run_events, NULL));
}

/* Returns the client, or releases it after a failure. */
static mambridge_client_t *begin(mambridge_client_t *client, int problem, const char *what, mambridge_error_t *error)
{
    bool started = !problem && start_workers(client);
    if (problem) {
        char message[1000], *why = strerror_r(problem, (char[200]){0}, 200);
        snprintf(message, sizeof message, "cannot start or reach %s: %s", what, why);
        fail(error, MAMBRIDGE_ERROR_CONNECTION_LOST, message);
        client->stream.pid = 0;
    } else if (!started)
        fail_for_memory(error);
    if (started)
        return client;
    mambridge_free(client);
    return NULL;
}

mambridge_client_t *mambridge_spawn(char *const argv[], const mambridge_client_options_t *options,
                                    mambridge_error_t *error)
{
    mambridge_client_t *client = new_client(options, error);
    return client ? begin(client, start_child(&client->stream, argv, &client->options), argv[0], error) : NULL;
}

static bool read_token(const char *file, char *token, size_t room, mambridge_error_t *error)
{
    FILE *opened = fopen(file, "re");
    if (!opened)
        return fail_with(error, MAMBRIDGE_ERROR_WRONG_ARGUMENT, "cannot read the token file %s", file);
    token[fread(token, 1, room - 1, opened)] = '\0';
    fclose(opened);
    token[strcspn(token, " \r\n")] = '\0';
    return true;
}

static bool authenticate(mambridge_client_t *client, const char *file, mambridge_error_t *error)
{
    mambridge_options_t options = {.timeout_milliseconds = 10000};
    char token[200];
    bool good = read_token(file, token, sizeof token, error) && mambridge_authenticate(client, token, &options, error);
    explicit_bzero(token, sizeof token);
    return good;
}

mambridge_client_t *mambridge_connect(const char *address, const char *token_file,
                                      const mambridge_client_options_t *options, mambridge_error_t *error)
{
    mambridge_client_t *client = new_client(options, error);
    if (client)
        client = begin(client, connect_stream(&client->stream, address), address, error);
    if (client && token_file && !authenticate(client, token_file, error)) {
        mambridge_free(client);
        return NULL;
    }
    return client;
}

static void signal_child(mambridge_client_t *client, int number)
{
    lock(client);
    if (!has_exited(&client->stream))
        kill(client->stream.pid, number);
    unlock(client);
}

static void end_child(mambridge_client_t *client, const struct timespec *deadline)
{
    if (wait_for_exit(client, milliseconds_until(deadline) / 1000))
        return;
    signal_child(client, SIGTERM);
    if (wait_for_exit(client, PATIENCE))
        return;
    signal_child(client, SIGKILL);
    wait_for_exit(client, PATIENCE);
}

static void finish_writing(mambridge_client_t *client, const struct timespec *deadline)
{
    lock(client);
    while (client->is_writing && wait_for(&client->changed, client, deadline))
        continue;
    unlock(client);
    shutdown(client->stream.socket, SHUT_WR);
}

static void wait_for_reader(mambridge_client_t *client, const struct timespec *deadline)
{
    lock(client);
    while (client->reader && !client->is_lost && wait_for(&client->changed, client, deadline))
        continue;
    unlock(client);
}

void mambridge_close(mambridge_client_t *client)
{
    struct timespec deadline = after_milliseconds(1000 * FINISH);
    lock(client);
    bool closed = client->is_closed;
    client->is_closed = true;
    unlock(client);
    if (closed)
        return;
    finish_writing(client, &deadline);
    wait_for_reader(client, &deadline);
    end_child(client, &deadline);
    shutdown(client->stream.socket, SHUT_RDWR);
    join_workers(client);
}

void mambridge_free(mambridge_client_t *client)
{
    if (!client)
        return;
    mambridge_close(client);
    release(client);
}

pid_t mambridge_pid(const mambridge_client_t *client)
{
    return client->stream.pid;
}

mambridge_optional_integer_t mambridge_exit_code(mambridge_client_t *client)
{
    lock(client);
    mambridge_optional_integer_t code = {client->stream.pid && has_exited(&client->stream), client->stream.exit_code};
    unlock(client);
    return code;
}
