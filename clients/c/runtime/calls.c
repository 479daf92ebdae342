/* Calls, and how they are canceled. */

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

static void read_own_answer(mambridge_client_t *client, struct call *call, const struct timespec *deadline);

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
            client->reading.followers -= call->follows;
            return true;
        }
    return false;
}

/* Leaves the answer of a call to the reader. The state is locked. */
static void follow(mambridge_client_t *client, struct call *call)
{
    if (call->follows)
        return;
    call->follows = true;
    client->reading.followers++;
    pthread_cond_signal(&client->reading.wanted);
}

static void send_cancel(mambridge_client_t *client, const struct call *call, const struct timespec *deadline)
{
    struct timespec end = after_milliseconds(1000 * PATIENCE);
    json_t *message = json_pack("{s:s, s:s, s:{s:I}}", "jsonrpc", "2.0", "method", "$/cancelRequest", "params", "id",
                                (json_int_t)call->number);
    write_message(client, message, deadline ? deadline : &end, NULL);
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

/* Says a time limit in whole seconds if it has them, or else in milliseconds. */
static void fail_for_time(mambridge_error_t *error, const struct call *call)
{
    char message[1000];
    bool whole = call->limit % 1000 == 0;
    snprintf(message, sizeof message, "%s: no answer within %lld %s", call->method,
             (long long)(whole ? call->limit / 1000 : call->limit), whole ? "s" : "ms");
    fail(error, MAMBRIDGE_ERROR_TIMED_OUT, message);
}

/* Returns the reply, which is the caller's. */
static json_t *wait_for_reply(mambridge_client_t *client, struct call *call, const mambridge_options_t *options,
                              const struct timespec *deadline, mambridge_error_t *error)
{
    bool in_time = true;
    lock(client);
    if (!options->canceler && !options->on_progress)
        read_own_answer(client, call, deadline);
    for (;;) {
        if (work_while_waiting(client, call, options, deadline))
            continue;
        if (call->reply || client->is_lost || !in_time)
            break;
        follow(client, call);
        in_time = wait_for(&call->changed, client, deadline);
    }
    forget(client, call);
    if (!call->reply && client->is_lost)
        check_connection(client, error);
    bool late = !call->reply && !client->is_lost;
    unlock(client);
    if (late) {
        send_cancel(client, call, deadline);
        fail_for_time(error, call);
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

/* Adds the deadline, and asks for progress under the number of the request. Returns false if memory runs out. */
static bool add_options(json_t **params, const struct call *call, const mambridge_options_t *options)
{
    if ((!call->limit && !options->on_progress) || json_is_array(*params))
        return true; /* Without names, the client alone watches the time. */
    json_t *meta = json_object();
    if (!*params)
        *params = json_object();
    if (json_object_set_new(*params, "_meta", meta))
        return false;
    if (call->limit && json_object_set_new(meta, "timeoutMilliseconds", json_integer(call->limit)))
        return false;
    return !options->on_progress || json_object_set_new(meta, "progressToken", json_integer(call->number)) == 0;
}

/* A request is written without a json_t of its own, which costs more than all else of a call. */
static bool append_request(struct line *line, const struct call *call, const json_t *params)
{
    char start[80];
    json_t *name = json_string(call->method);
    snprintf(start, sizeof start, "{\"jsonrpc\":\"2.0\",\"id\":%lld,\"method\":", (long long)call->number);
    bool good = append_text(line, start) == 0 && append_json(line, name) == 0;
    json_decref(name);
    if (params)
        good = good && append_text(line, ",\"params\":") == 0 && append_json(line, params) == 0;
    return good && append_text(line, "}") == 0;
}

/* Sends a remembered call and waits. Takes the params. */
static json_t *exchange(mambridge_client_t *client, struct call *call, json_t *params, const mambridge_options_t *options,
                        mambridge_error_t *error)
{
    struct line line = {0};
    struct timespec end = after_milliseconds(call->limit + 1000 * PATIENCE), *deadline = call->limit ? &end : NULL;
    bool good = add_options(&params, call, options) && append_request(&line, call, params);
    call->size = line.size + 1;
    wipe(params);
    if (write_and_wipe(client, &line, good, deadline, error))
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
    options = options ? options : &none;
    struct call call = {.client = client, .method = method, .limit = limit_of(client, options)};
    if (!check_process(client, error)) {
        wipe(params);
        return NULL;
    }
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
        exchange(client, &call, params, options, error);
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
