/* Cuts what the server sends into lines, and hands each message to its call, handler or queue. The thread of the reader
 * does so, or a caller that waits for its answer. */

enum { MOMENT = 50, TICK = 20 }; /* milliseconds */

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
    bool unread = json_is_null(id) && json_object_get(message, "error");
    struct call *call = unread ? longest_call(client) : find_call(client, id);
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
    if (json_array_size(client->events) > MOST_EVENTS)
        drop_event(client);
    unlock(client);
}

static void take_question(mambridge_client_t *client, json_t *message)
{
    join_done(client);
    if (!start_worker(client, run_question, message)) {
        refuse_message(client, message);
        json_decref(message);
    }
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
    if (start)
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

static void end_reading(mambridge_client_t *client, const char *broken)
{
    lock(client);
    client->reading.has_ended = true;
    client->reading.broken = broken;
    unlock(client);
}

/* Reads once and handles the lines that are whole, with the right to read. */
static void read_once(mambridge_client_t *client, const struct timespec *deadline)
{
    struct buffer *buffer = &client->reading.buffer;
    if (!make_room(buffer)) {
        end_reading(client, "out of memory");
        return;
    }
    ssize_t size = read_stream(&client->stream, buffer->bytes + buffer->size, buffer->room - buffer->size, deadline);
    if (size < 0)
        return;
    buffer->size += (size_t)size;
    const char *broken = size ? take_lines(client, buffer, buffer->size - (size_t)size) : NULL;
    if (size == 0 || broken)
        end_reading(client, broken);
}

/* Reads for a call on the thread of its caller, which saves two changes of threads, as long as nobody else reads or counts
 * on the reader, and for a moment at most. The state is locked before and after. */
static void read_own_answer(mambridge_client_t *client, struct call *call, const struct timespec *deadline)
{
    struct reading *reading = &client->reading;
    if (reading->is_taken || reading->followers)
        return;
    struct timespec end = after_milliseconds(MOMENT);
    if (deadline && milliseconds_until(deadline) < MOMENT)
        end = *deadline;
    reading->is_taken = true;
    while (!call->reply && !reading->has_ended && !client->is_lost && milliseconds_until(&end) > 0) {
        unlock(client);
        read_once(client, &end);
        lock(client);
    }
    reading->is_taken = false;
    reading->own_answers += call->reply != NULL;
    if (reading->followers || reading->has_ended || reading->reader_waits)
        pthread_cond_signal(&reading->wanted);
}

static bool needs_reader(const mambridge_client_t *client)
{
    return client->reading.followers || client->reading.has_ended || client->is_closed;
}

/* Leaves reading to callers, until one counts on the reader or none has called for a moment. The state is locked. */
static void rest(mambridge_client_t *client)
{
    struct reading *reading = &client->reading;
    uint64_t seen;
    do {
        struct timespec end = after_milliseconds(TICK);
        seen = reading->own_answers;
        while (!needs_reader(client) && wait_for(&reading->wanted, client, &end))
            continue;
    } while (!needs_reader(client) && reading->own_answers != seen);
}

static void read_to_end(mambridge_client_t *client)
{
    struct reading *reading = &client->reading;
    lock(client);
    for (;;) {
        rest(client);
        reading->reader_waits = true;
        while (reading->is_taken && !reading->has_ended)
            wait_for(&reading->wanted, client, NULL);
        reading->reader_waits = false;
        if (reading->has_ended)
            break;
        reading->is_taken = true;
        unlock(client);
        read_once(client, NULL);
        lock(client);
        reading->is_taken = false;
    }
    unlock(client);
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

/* A code is negative for a signal. */
static void describe_exit(int code, char *text, size_t room)
{
    static const char *const names[] = {"HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1",
                                        "SEGV", "USR2", "PIPE", "ALRM", "TERM"}; /* from signal 1 on */
    if (code >= 0)
        snprintf(text, room, "mambridge exited with code %d", code);
    else if (-code <= (int)(sizeof names / sizeof *names))
        snprintf(text, room, "mambridge was killed by signal %d (SIG%s)", -code, names[-code - 1]);
    else
        snprintf(text, room, "mambridge was killed by signal %d", -code);
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
        if (client->stream.knows_exit_code)
            describe_exit(client->stream.exit_code, text, room);
        else
            snprintf(text, room, "mambridge has ended; its exit code is unknown, because this program ignores SIGCHLD or "
                                 "waits for any child");
        add_last_lines(&client->stream, text, room);
    }
}

static void lose(mambridge_client_t *client, const char *broken)
{
    if (broken)
        shut_down(&client->stream);
    bool exited = client->stream.pid && wait_and_drain(client);
    lock(client);
    if (!client->is_lost)
        describe_end(client, broken, exited, client->lost, sizeof client->lost);
    end_calls(client);
    unlock(client);
}

static void *run_reader(void *argument)
{
    struct worker *worker = argument;
    read_to_end(worker->client);
    lose(worker->client, worker->client->reading.broken);
    return end_worker(worker);
}
