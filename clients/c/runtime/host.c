/* What the server asks of the host, and the events. */

mambridge_client_t *mambridge_request_client(const mambridge_request_t *request)
{
    return request->client;
}

/* Takes the answer, which is a result or an error. */
static bool send_answer_by(mambridge_request_t *request, const char *member, json_t *answer,
                           const struct timespec *deadline)
{
    json_t *id = json_deep_copy(request->id);
    if (!answer || !id || request->is_answered) {
        wipe(answer);
        json_decref(id);
        return false;
    }
    json_t *message = json_pack("{s:s, s:o, s:o}", "jsonrpc", "2.0", "id", id, member, answer);
    request->is_answered = write_message(request->client, message, deadline, NULL);
    return request->is_answered;
}

static bool send_answer(mambridge_request_t *request, const char *member, json_t *answer)
{
    struct timespec deadline = after_milliseconds(60000);
    return send_answer_by(request, member, answer, &deadline);
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

/*
 * For a request that no thread can answer: the limit of processes or of memory is reached. This is the reader's thread, for
 * which the server may wait before it reads on. So it refuses only if it need not wait; else the server's limit counts.
 */
static void refuse_message(mambridge_client_t *client, const json_t *message)
{
    mambridge_request_t request = {client, json_object_get(message, "id"), NULL, false};
    struct timespec at_once = now();
    struct pollfd room = {.fd = client->stream.input, .events = POLLOUT};
    if (poll(&room, 1, 0) == 1)
        send_answer_by(&request, "error", json_pack("{s:i, s:s}", "code", -32603, "message",
                                                    "the host has no thread for an answer"), &at_once);
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

enum { MOST_EVENTS = 10000 };

/* Drops the oldest event, whose number goes into the gap. Log lines and telemetry have none. The state is locked. */
static void drop_event(mambridge_client_t *client)
{
    const json_t *params = json_object_get(json_array_get(client->events, 0), "params");
    const json_t *number = json_object_get(params, "seq");
    int64_t after = number ? json_integer_value(number) - 1 : json_integer_value(json_object_get(params, "after"));
    int64_t to = json_integer_value(number ? number : json_object_get(params, "to"));
    if (to > 0 && !client->gap_to)
        client->gap_after = after;
    if (to > 0)
        client->gap_to = to;
    json_array_remove(client->events, 0);
}

/* Returns an event in place of those that were dropped, or NULL if none was. The state is locked. */
static json_t *take_gap(mambridge_client_t *client)
{
    if (!client->gap_to)
        return NULL;
    json_t *event = json_pack("{s:s, s:{s:I, s:I, s:I}}", "method", "events.gap", "params",
                              "after", (json_int_t)client->gap_after, "to", (json_int_t)client->gap_to,
                              "from", (json_int_t)client->gap_after + 1);
    if (event)
        client->gap_to = 0;
    return event;
}

/* Returns the next event, or NULL at the end. */
static json_t *next_event(mambridge_client_t *client)
{
    lock(client);
    while (json_array_size(client->events) == 0 && !client->is_lost)
        wait_for(&client->changed, client, NULL);
    json_t *event = take_gap(client);
    if (!event) {
        event = json_incref(json_array_get(client->events, 0));
        json_array_remove(client->events, 0);
    }
    unlock(client);
    return event;
}
