/* How a client starts and ends. */

static mambridge_client_t *new_client(const mambridge_client_options_t *options, mambridge_error_t *error)
{
    mambridge_client_t *client = calloc(1, sizeof *client);
    json_object_seed(0); /* jansson asks for it before there are threads */
    if (!client || !init_condition(&client->changed) || !init_condition(&client->reading.wanted)
        || pthread_mutex_init(&client->state, NULL)) {
        fail_for_memory(error);
        free(client);
        return NULL;
    }
    client->process = getpid();
    client->references = 1;
    client->stream.input = client->stream.socket = client->stream.stderr_pipe = -1;
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
static mambridge_client_t *begin(mambridge_client_t *client, int problem, const char *verb, const char *object,
                                 mambridge_error_t *error)
{
    bool started = !problem && start_workers(client);
    if (problem) {
        char message[1000], *why = strerror_r(problem, (char[200]){0}, 200);
        snprintf(message, sizeof message, "cannot %s %s: %s", verb, object, why);
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
    if (!client)
        return NULL;
    return begin(client, start_child(&client->stream, argv, &client->options), "start", argv[0], error);
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
    if (client && strncmp(address, "unix://", 7) != 0 && strncmp(address, "tcp://", 6) != 0) {
        fail_with(error, MAMBRIDGE_ERROR_WRONG_ARGUMENT, "%s is no address; use tcp://HOST:PORT or unix:///PATH", address);
        mambridge_free(client);
        return NULL;
    }
    if (client)
        client = begin(client, connect_stream(&client->stream, address), "connect to", address, error);
    if (client && token_file && !authenticate(client, token_file, error)) {
        shut_down(&client->stream);
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
    shutdown(client->stream.input, SHUT_WR);
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
    if (is_forked(client))
        return;
    lock(client);
    bool closed = client->is_closed;
    client->is_closed = true;
    unlock(client);
    if (closed)
        return;
    finish_writing(client, &deadline);
    wait_for_reader(client, &deadline);
    end_child(client, &deadline);
    shut_down(&client->stream);
    join_workers(client);
}

void mambridge_free(mambridge_client_t *client)
{
    if (client && is_forked(client))
        close_stream(&client->stream); /* The rest may be locked by a thread that this process does not have. */
    if (!client || is_forked(client))
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
    mambridge_optional_integer_t code = {false, 0};
    if (is_forked(client))
        return code;
    lock(client);
    if (client->stream.pid && has_exited(&client->stream) && client->stream.knows_exit_code)
        code = mambridge_integer(client->stream.exit_code);
    unlock(client);
    return code;
}
