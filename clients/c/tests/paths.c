/*
 * paths CASE: the two ways of an answer: read by the thread of the caller, or by the reader. It includes the client, to see
 * which one a call took. "paths serve" is the server. Exits with 0, or says on standard error which line failed.
 */
#include "../mambridge.c"

#define CHECK(condition) check((condition), #condition, __LINE__)

static char *self;
static _Atomic int events;

static void check(bool good, const char *condition, int line)
{
    if (good)
        return;
    fprintf(stderr, "line %d: not %s\n", line, condition);
    _exit(1);
}

/* The server: answers with the param, after the milliseconds that it says, and with an event before it if it is "event". */

static void *answer_late(void *argument)
{
    json_t *message = argument, *value = json_array_get(json_object_get(message, "params"), 0);
    struct timespec pause = {0, json_integer_value(value) * 1000000};
    nanosleep(&pause, NULL);
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    const char *event = "{\"method\":\"policyManager.policyDidChange\",\"params\":{\"seq\":1}}\n";
    printf("%s{\"jsonrpc\":\"2.0\",\"id\":%lld,\"result\":%s}\n", json_is_string(value) ? event : "",
           json_integer_value(json_object_get(message, "id")), text);
    fflush(stdout);
    free(text);
    json_decref(message);
    return NULL;
}

static int serve(void)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        json_t *message = json_loads(line, 0, NULL);
        const json_t *value = json_array_get(json_object_get(message, "params"), 0);
        pthread_t thread;
        if (!json_object_get(message, "id")) /* a cancellation */
            json_decref(message);
        else if (json_integer_value(value) == 0)
            answer_late(message);
        else if (pthread_create(&thread, NULL, answer_late, message) == 0)
            pthread_detach(thread);
    }
    free(line);
    return 0;
}

/* The cases */

static void count_event(mambridge_client_t *client, const mambridge_event_t *event, void *user)
{
    (void)client, (void)event, (void)user;
    events++;
}

static mambridge_client_t *start(void)
{
    char *command[] = {self, "serve", NULL};
    mambridge_client_t *client = mambridge_spawn(command, &(mambridge_client_options_t){.on_event = count_event}, NULL);
    CHECK(client);
    return client;
}

static void echo(mambridge_client_t *client, json_t *value, const mambridge_options_t *options)
{
    json_t *params = json_pack("[o]", value), *result = NULL;
    CHECK(mambridge_call(client, "echo", params, options, &result, NULL));
    CHECK(json_equal(result, json_array_get(params, 0)));
    json_decref(params);
    json_decref(result);
}

static uint64_t own_answers(mambridge_client_t *client)
{
    lock(client);
    uint64_t count = client->reading.own_answers;
    unlock(client);
    return count;
}

/* Calls until a number of calls have read their own answers. */
static void call_until(mambridge_client_t *client, uint64_t count)
{
    for (int number = 0; number < 100000 && own_answers(client) < count; number++)
        echo(client, json_null(), NULL);
    CHECK(own_answers(client) >= count);
}

static void one_after_the_other(void)
{
    mambridge_client_t *client = start();
    call_until(client, 1000);
    mambridge_free(client);
}

static void *call_often(void *argument)
{
    for (int number = 0; number < 2000; number++)
        echo(argument, json_integer(number % 50 == 0 ? 3 : 0), NULL);
    return NULL;
}

/* Four threads get their own answers, whoever reads. */
static void together(void)
{
    mambridge_client_t *client = start();
    pthread_t threads[4];
    for (int number = 0; number < 4; number++)
        CHECK(pthread_create(&threads[number], NULL, call_often, client) == 0);
    for (int number = 0; number < 4; number++)
        pthread_join(threads[number], NULL);
    call_until(client, own_answers(client) + 100);
    mambridge_free(client);
}

/* A call that takes long leaves reading to the reader, and another call is answered before it. */
static void *call_slowly(void *argument)
{
    echo(argument, json_integer(900), NULL);
    return NULL;
}

static void slow(void)
{
    mambridge_client_t *client = start();
    pthread_t thread;
    call_until(client, 100);
    CHECK(pthread_create(&thread, NULL, call_slowly, client) == 0);
    for (int number = 0; number < 1000; number++)
        echo(client, json_integer(0), NULL);
    pthread_join(thread, NULL);
    call_until(client, own_answers(client) + 100);
    mambridge_free(client);
}

/* An event is heard while calls follow each other, and while there are none. */
static void heard(void)
{
    mambridge_client_t *client = start();
    call_until(client, 100);
    for (int number = 1; number <= 200; number++)
        echo(client, json_string("event"), NULL);
    struct timespec end = after_milliseconds(30000), pause = {0, 1000000};
    while (events < 200 && milliseconds_until(&end) > 0)
        nanosleep(&pause, NULL);
    CHECK(events == 200);
    /* Nobody calls any more: the reader reads the answer of a request that nobody waits for. */
    CHECK(write_message(client, json_pack("{s:i, s:s, s:[s]}", "id", 7, "method", "echo", "params", "event"), NULL, NULL));
    while (events < 201 && milliseconds_until(&end) > 0)
        nanosleep(&pause, NULL);
    CHECK(events == 201);
    mambridge_free(client);
}

/* A deadline that passes while the caller reads. */
static void late(void)
{
    mambridge_client_t *client = start();
    mambridge_error_t error = {0};
    call_until(client, 100);
    json_t *params = json_pack("[i]", 20000);
    mambridge_canceler_t *canceler = mambridge_canceler_new();
    mambridge_canceler_cancel(canceler);
    CHECK(!mambridge_call(client, "echo", params, &(mambridge_options_t){.canceler = canceler}, NULL, &error));
    CHECK(error.kind == MAMBRIDGE_ERROR_CANCELLED);
    mambridge_canceler_free(canceler);
    kill(client->stream.pid, SIGSTOP);
    CHECK(!mambridge_call(client, "echo", params, &(mambridge_options_t){.timeout_milliseconds = 10}, NULL, &error));
    CHECK(error.kind == MAMBRIDGE_ERROR_TIMED_OUT);
    kill(client->stream.pid, SIGCONT);
    json_decref(params);
    call_until(client, own_answers(client) + 100);
    mambridge_error_clear(&error);
    mambridge_free(client);
}

/* The server ends while the caller reads: the call fails with the reason, and so do all after it. */
static void *kill_soon(void *argument)
{
    struct timespec pause = {0, 5000000};
    nanosleep(&pause, NULL);
    kill(((mambridge_client_t *)argument)->stream.pid, SIGKILL);
    return NULL;
}

static void ended(void)
{
    mambridge_client_t *client = start();
    mambridge_error_t error = {0};
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, kill_soon, client) == 0);
    json_t *params = json_pack("[i]", 0);
    bool good = true;
    while (good) {
        json_t *result = NULL;
        good = mambridge_call(client, "echo", params, NULL, &result, &error);
        json_decref(result);
    }
    CHECK(error.kind == MAMBRIDGE_ERROR_CONNECTION_LOST && strstr(error.message, "killed by signal 9 (SIGKILL)"));
    CHECK(!mambridge_call(client, "echo", params, NULL, NULL, &error));
    CHECK(error.kind == MAMBRIDGE_ERROR_CONNECTION_LOST);
    json_decref(params);
    pthread_join(thread, NULL);
    mambridge_error_clear(&error);
    mambridge_free(client);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"one-after-the-other", one_after_the_other}, {"together", together}, {"slow", slow}, {"heard", heard}, {"late", late},
    {"ended", ended},
};

int main(int count, char **arguments)
{
    self = arguments[0];
    if (count > 1 && strcmp(arguments[1], "serve") == 0)
        return serve();
    for (size_t index = 0; index < sizeof cases / sizeof cases[0]; index++)
        if (count > 1 && strcmp(arguments[1], cases[index].name) == 0)
            return cases[index].run(), 0;
    return 2;
}
