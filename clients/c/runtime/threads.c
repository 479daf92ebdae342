/* The threads of a client: a reader, one for each request of the server, and one for events if there is a handler. */

static void destroy(mambridge_client_t *client)
{
    close_stream(&client->stream);
    json_decref(client->events);
    free(client->reading.buffer.bytes);
    pthread_cond_destroy(&client->reading.wanted);
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
