/* A client: its state, its errors, and the messages that it writes. */

/* A request that waits for its reply, on the stack of its caller. Progress is heard before the end. */
struct call {
    struct call *next;          /* in the client */
    struct call *next_canceled; /* in the canceler */
    mambridge_client_t *client;
    const char *method;
    int64_t number;
    int64_t limit; /* in milliseconds; 0 for none */
    size_t size;
    pthread_cond_t changed;
    json_t *reply;
    json_t *progress; /* an array */
    bool is_canceled, cancel_is_sent;
    bool follows; /* it counts on the reader */
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

/* Who reads: the caller whose call is alone, or else the reader. */
struct reading {
    struct buffer {
        char *bytes;
        size_t size, room;
    } buffer;              /* what was read and is not yet a line; of who reads */
    pthread_cond_t wanted; /* the reader has to read, or the right to read is free again */
    bool is_taken;         /* somebody reads */
    bool reader_waits;     /* for the right to read */
    int followers;         /* how many calls count on the reader */
    uint64_t own_answers;  /* how many calls have read their answers themselves */
    bool has_ended;        /* nothing follows */
    const char *broken;    /* why what follows cannot be read, or NULL */
};

struct mambridge_client {
    pid_t process; /* that started it, and so has its threads */
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
    struct reading reading;
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
    return fail(error, MAMBRIDGE_ERROR_NO_MEMORY, "out of memory");
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

/* A fork has no thread of the client, and perhaps a lock that nobody will ever open. */
static bool is_forked(const mambridge_client_t *client)
{
    return client->process != getpid();
}

/* Returns false in a fork, before anything is locked. */
static bool check_process(const mambridge_client_t *client, mambridge_error_t *error)
{
    return !is_forked(client)
        || fail(error, MAMBRIDGE_ERROR_CONNECTION_LOST,
                "this process was forked: the connection is its parent's, so start a client of its own");
}

/* Says why no call can be made, if so. The state is locked. */
static bool check_connection(mambridge_client_t *client, mambridge_error_t *error)
{
    if (!client->is_lost && !client->is_closed)
        return true;
    fail(error, MAMBRIDGE_ERROR_CONNECTION_LOST, client->is_lost ? client->lost : "this client is closed");
    if (error && client->stream.knows_exit_code)
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

/* The text of a message, which may hold secrets. */
struct line {
    char *text;
    size_t size, room;
};

static void wipe_line(struct line *line)
{
    if (line->text)
        explicit_bzero(line->text, line->size);
    free(line->text);
}

/* Returns 0, or -1 if memory runs out, as jansson asks for. */
static int append(const char *text, size_t size, void *to)
{
    struct line *line = to;
    if (line->room - line->size < size) {
        struct line longer = {NULL, 0, 2 * line->room + size + 500};
        if (!(longer.text = malloc(longer.room)))
            return -1;
        if (line->size)
            append(line->text, line->size, &longer);
        wipe_line(line);
        *line = longer;
    }
    memcpy(line->text + line->size, text, size);
    line->size += size;
    return 0;
}

static int append_text(struct line *line, const char *text)
{
    return append(text, strlen(text), line);
}

static int append_json(struct line *line, const json_t *json)
{
    return json ? json_dump_callback(json, append, line, JSON_COMPACT | JSON_ENCODE_ANY) : -1;
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
    shut_down(&client->stream);
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

/* Ends a line, writes it and clears it. `good` says whether there was memory for it. */
static bool write_and_wipe(mambridge_client_t *client, struct line *line, bool good, const struct timespec *deadline,
                           mambridge_error_t *error)
{
    good = good && append("\n", 1, line) == 0 ? write_line(client, line->text, line->size, deadline, error)
                                              : fail_for_memory(error);
    wipe_line(line);
    return good;
}

/* Takes the message. */
static bool write_message(mambridge_client_t *client, json_t *message, const struct timespec *deadline,
                          mambridge_error_t *error)
{
    struct line line = {0};
    bool good = append_json(&line, message) == 0;
    wipe(message);
    return write_and_wipe(client, &line, good, deadline, error);
}
