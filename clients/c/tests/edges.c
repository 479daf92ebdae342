/*
 * edges CASE [ARGUMENT...]: does what the conformance tests cannot: servers that misbehave, and a lack of memory or threads.
 * "edges serve MODE" is such a server. Exits with 0, or says on standard error which line failed.
 */
#define _GNU_SOURCE
#include <mambridge.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition) check((condition), #condition, __LINE__)

static mambridge_error_t error;
static char *self;

static void check(bool good, const char *condition, int line)
{
    if (good)
        return;
    fprintf(stderr, "line %d: not %s; the last error is: %s\n", line, condition,
            error.message ? error.message : "none");
    _exit(1);
}

/* Lack of memory: the allocation of a number fails, and all after it. The linker lets us stand before malloc. */

static long left = -1;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);

static bool may_allocate(void)
{
    pthread_mutex_lock(&counting);
    bool good = left != 0;
    if (left > 0)
        left--;
    pthread_mutex_unlock(&counting);
    return good;
}

static void set_left(long count)
{
    pthread_mutex_lock(&counting);
    left = count;
    pthread_mutex_unlock(&counting);
}

void *__wrap_malloc(size_t size)
{
    return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
    return may_allocate() ? __real_realloc(old, size) : NULL;
}

char *__wrap_strdup(const char *text)
{
    char *copy = __wrap_malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

/* Lack of threads. */

static bool has_threads = true;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    return has_threads ? __real_pthread_create(thread, attributes, run, argument) : EAGAIN;
}

/* The server */

static void reply(const char *line, const char *result)
{
    const char *id = strstr(line, "\"id\":");
    printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":%s}\n", id ? strtol(id + 5, NULL, 10) : 0, result);
    fflush(stdout);
}

/* Asks three questions, and answers with the codes of the errors that come back. */
static void ask(const char *line)
{
    char *answer = NULL, codes[200] = "\"";
    size_t room = 0;
    puts("{\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"method\":\"no.such\",\"params\":{}}");
    puts("{\"jsonrpc\":\"2.0\",\"id\":\"s2\",\"method\":\"policyDelegate.restartApplication\"}");
    puts("{\"jsonrpc\":\"2.0\",\"id\":\"s3\",\"method\":\"policyDelegate.managementWillBeRemoved\",\"params\":{}}");
    puts("{\"jsonrpc\":\"2.0\",\"id\":\"s4\",\"method\":\"ui.showAlert\",\"params\":{\"title\":1}}");
    fflush(stdout);
    for (int index = 0; index < 4 && getline(&answer, &room, stdin) > 0; index++) {
        const char *id = strstr(answer, "\"id\":\""), *code = strstr(answer, "\"code\":");
        snprintf(codes + strlen(codes), 50, "%.2s:%ld ", id ? id + 6 : "?", code ? strtol(code + 7, NULL, 10) : 0);
    }
    strcat(codes, "\"");
    reply(line, codes);
    free(answer);
}

static void serve_line(const char *mode, const char *line)
{
    if (strcmp(mode, "events") == 0)
        puts("{\"method\":\"policyManager.policyDidChange\","
             "\"params\":{\"seq\":1,\"time\":\"2026-01-01T00:00:00.5+01:00\"}}");
    for (int number = 1; strcmp(mode, "flood") == 0 && number <= 25000; number++)
        printf("{\"method\":\"policyManager.policyDidChange\","
               "\"params\":{\"seq\":%d,\"time\":\"2026-01-01T00:00:00Z\"}}\n", number);
    if (strcmp(mode, "stray") == 0)
        puts("{\"id\":null,\"result\":\"of nobody\"}\n{\"id\":7000,\"result\":\"of another\"}");
    if (strcmp(mode, "garbage") == 0) {
        puts("no JSON");
        fflush(stdout);
    } else if (strcmp(mode, "questions") == 0)
        ask(line);
    else if (strstr(line, "registeredAccounts"))
        reply(line, "[{\"accountId\":null,\"identity\":\"a\",\"newer\":{}},{}]");
    else if (strstr(line, "blockedReason"))
        reply(line, "\"full moon\"");
    else if (strstr(line, "primaryUser"))
        reply(line, "{\"identity\":7}");
    else
        reply(line, "\"1.0\"");
}

/* Asks before it has read a message to its end, and goes on only when the client has read more. Then asks again. */
static void interrupt(void)
{
    char *line = NULL, *answer = NULL, code[50];
    size_t room = 0, answer_room = 0;
    int first = getchar();
    puts("{\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"method\":\"policyDelegate.restartApplication\"}");
    for (int number = 0; number < 1 << 21; number++)
        putchar('\n');
    fflush(stdout);
    ungetc(first, stdin);
    bool good = getline(&line, &room, stdin) > 0;
    puts("{\"jsonrpc\":\"2.0\",\"id\":\"s2\",\"method\":\"policyDelegate.restartApplication\"}");
    fflush(stdout);
    good = good && getline(&answer, &answer_room, stdin) > 0;
    const char *refusal = good && strstr(answer, "\"s2\"") ? strstr(answer, "\"code\":") : NULL;
    snprintf(code, sizeof code, "\"%ld\"", refusal ? strtol(refusal + 7, NULL, 10) : 0);
    if (good)
        reply(line, code);
    free(line);
    free(answer);
}

static int serve(const char *mode)
{
    char *line = NULL;
    size_t room = 0;
    if (strcmp(mode, "deaf") == 0)
        return (int)sleep(30);
    if (strcmp(mode, "gone") == 0)
        return 3;
    if (strcmp(mode, "interrupting") == 0)
        interrupt();
    if (strcmp(mode, "closed-input") == 0) {
        close(0);
        return (int)sleep(60);
    }
    if (strcmp(mode, "talkative") == 0) {
        close(0), close(1);
        while (write(2, "still here\n", 11) > 0)
            continue;
    }
    while (getline(&line, &room, stdin) > 0)
        serve_line(mode, line);
    free(line);
    return 0;
}

/* The cases */

static mambridge_client_t *start(char *mode, const mambridge_client_options_t *options)
{
    char *command[] = {self, "serve", mode, NULL};
    mambridge_client_t *client = mambridge_spawn(command, options, &error);
    CHECK(client);
    return client;
}

static void newer_server(void)
{
    mambridge_client_t *client = start("", NULL);
    mambridge_account_list_t accounts;
    mambridge_block_account_reason_t reason;
    CHECK(mambridge_enrollment_manager_registered_accounts(client, NULL, &accounts, &error));
    CHECK(accounts.count == 2 && !accounts.items[0].account_id && strcmp(accounts.items[0].identity, "a") == 0);
    mambridge_account_list_free(&accounts);
    mambridge_account_list_free(&accounts);
    CHECK(mambridge_policy_manager_blocked_reason(client, "a", NULL, &reason, &error));
    CHECK(reason == MAMBRIDGE_BLOCK_ACCOUNT_REASON_UNRECOGNIZED);
    mambridge_free(client);
}

static void wrong_values(void)
{
    mambridge_client_t *client = start("", NULL);
    mambridge_account_t *account;
    char *version;
    CHECK(!mambridge_policy_manager_primary_user(client, NULL, &account, &error));
    CHECK(error.kind == MAMBRIDGE_ERROR_UNEXPECTED_REPLY && !account);
    CHECK(!mambridge_enrollment_manager_update_token(client, "a", NULL, "secret", NULL, NULL, &error));
    CHECK(error.kind == MAMBRIDGE_ERROR_WRONG_ARGUMENT && strstr(error.message, "resource"));
    CHECK(!strstr(error.message, "secret"));
    CHECK(!mambridge_enrollment_manager_update_token(client, "\xff", "b", "secret", NULL, NULL, &error));
    CHECK(error.kind == MAMBRIDGE_ERROR_WRONG_ARGUMENT);
    CHECK(mambridge_version_info_sdk_version(client, NULL, &version, NULL) && strcmp(version, "1.0") == 0);
    mambridge_string_free(version);
    mambridge_free(client);
}

static void any_method(void)
{
    mambridge_client_t *client = start("", NULL);
    json_t *params = json_pack("{s:s}", "a", "b"), *result;
    CHECK(mambridge_call(client, "no.such", params, NULL, &result, &error));
    CHECK(strcmp(json_string_value(result), "1.0") == 0 && json_object_size(params) == 1);
    json_decref(params);
    json_decref(result);
    mambridge_free(client);
}

static void garbage(void)
{
    mambridge_client_t *client = start("garbage", NULL);
    CHECK(!mambridge_version_info_sdk_version(client, NULL, NULL, &error));
    CHECK(error.kind == MAMBRIDGE_ERROR_CONNECTION_LOST && strstr(error.message, "not JSON"));
    mambridge_free(client);
}

/* SIGPIPE has its default, which ends the program. */
static void gone(void)
{
    mambridge_client_t *client = start("gone", NULL);
    for (int index = 0; index < 20; index++)
        CHECK(!mambridge_version_info_sdk_version(client, NULL, NULL, &error));
    CHECK(error.kind == MAMBRIDGE_ERROR_CONNECTION_LOST && error.exit_code.value == 3);
    mambridge_free(client);
    char *command[] = {"/no/such/server", NULL};
    CHECK(!mambridge_spawn(command, NULL, &error) && strstr(error.message, "/no/such/server: No such file"));
}

static void deaf(void)
{
    mambridge_client_t *client = start("deaf", NULL);
    mambridge_options_t options = {.timeout_milliseconds = 100};
    size_t size = 1 << 22;
    void *data = calloc(1, size);
    time_t start = time(NULL);
    CHECK(!mambridge_version_info_sdk_version(client, &options, NULL, &error));
    CHECK(error.kind == MAMBRIDGE_ERROR_TIMED_OUT);
    mambridge_bytes_t bytes = {data, size};
    CHECK(!mambridge_data_protection_manager_protect(client, bytes, "a", &options, NULL, &error));
    CHECK(error.kind == MAMBRIDGE_ERROR_TIMED_OUT && time(NULL) - start < 13);
    CHECK(!mambridge_version_info_sdk_version(client, NULL, NULL, &error));
    CHECK(error.kind == MAMBRIDGE_ERROR_CONNECTION_LOST && strstr(error.message, "in the middle of a message"));
    free(data);
    kill(mambridge_pid(client), 15);
    mambridge_free(client);
}

/* A server that reads no more, but keeps its output open. */
static void closed_input(void)
{
    mambridge_client_t *client = start("closed-input", NULL);
    mambridge_options_t options = {.timeout_milliseconds = 300};
    do /* What is written before it has closed its input has no answer, either. */
        CHECK(!mambridge_version_info_sdk_version(client, &options, NULL, &error));
    while (error.kind == MAMBRIDGE_ERROR_TIMED_OUT);
    CHECK(error.kind == MAMBRIDGE_ERROR_CONNECTION_LOST && strstr(error.message, "does not read any more"));
    kill(mambridge_pid(client), SIGKILL);
    mambridge_free(client);
}

/* A question that no thread can start for waits for nothing, so that the server can read the message it is reading. */
static void no_threads(void)
{
    mambridge_client_t *client = start("interrupting", NULL);
    size_t size = 1 << 24;
    char *text = calloc(1, size);
    CHECK(text);
    memset(text, 'x', size - 1);
    json_t *params = json_pack("{s:s}", "text", text), *result;
    mambridge_options_t options = {.timeout_milliseconds = 30000};
    free(text);
    has_threads = false;
    CHECK(mambridge_call(client, "any", params, &options, &result, &error));
    has_threads = true;
    CHECK(strcmp(json_string_value(result), "-32603") == 0);
    json_decref(params);
    json_decref(result);
    mambridge_free(client);
}

/* A fork that frees the client keeps nothing of the connection, and the parent's goes on. */
static void forked(void)
{
    mambridge_client_t *client = start("", NULL);
    int status, before = open("/dev/null", O_RDONLY);
    char *version;
    close(before);
    pid_t fork_of_us = fork();
    if (fork_of_us == 0) {
        bool refused = !mambridge_version_info_sdk_version(client, NULL, NULL, &error);
        mambridge_free(client);
        for (int number = 3; number < before; number++)
            refused = refused && fcntl(number, F_GETFD) < 0;
        _exit(refused ? 0 : 1);
    }
    CHECK(waitpid(fork_of_us, &status, 0) == fork_of_us && status == 0);
    CHECK(mambridge_version_info_sdk_version(client, NULL, &version, &error));
    mambridge_string_free(version);
    mambridge_free(client);
}

/* A server that closes its output but writes on to stderr. */
static void talkative(void)
{
    mambridge_client_t *client = start("talkative", NULL);
    CHECK(!mambridge_version_info_sdk_version(client, NULL, NULL, &error));
    CHECK(error.kind == MAMBRIDGE_ERROR_CONNECTION_LOST && strstr(error.message, "still running"));
    kill(mambridge_pid(client), SIGKILL);
    mambridge_free(client);
}

/* The replies to nobody answer no call. */
static void stray(void)
{
    mambridge_client_t *client = start("stray", NULL);
    char *version;
    CHECK(mambridge_version_info_sdk_version(client, NULL, &version, &error) && strcmp(version, "1.0") == 0);
    mambridge_string_free(version);
    mambridge_free(client);
}

/* The signals of a child are not blocked, whatever the thread that starts it has blocked. */
static void unblocked(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    mambridge_client_t *client = start("deaf", NULL);
    kill(mambridge_pid(client), SIGTERM);
    mambridge_close(client);
    CHECK(mambridge_exit_code(client).value == -SIGTERM);
    mambridge_free(client);
}

static struct {
    int64_t last, gaps;
    pthread_mutex_t state;
} heard = {.state = PTHREAD_MUTEX_INITIALIZER};

/* Each event follows another one, or a gap. */
static void hear_slowly(mambridge_client_t *client, const mambridge_event_t *event, void *user)
{
    (void)client, (void)user;
    pthread_mutex_lock(&heard.state);
    if (event->kind == MAMBRIDGE_EVENT_EVENTS_GAP) {
        CHECK(event->as.events_gap.after == heard.last && event->as.events_gap.to > heard.last);
        heard.last = event->as.events_gap.to;
        heard.gaps++;
    } else
        CHECK(event->kind == MAMBRIDGE_EVENT_POLICY_DID_CHANGE && event->as.policy_did_change.seq == ++heard.last);
    pthread_mutex_unlock(&heard.state);
}

static void flood(void)
{
    mambridge_client_t *client = start("flood", &(mambridge_client_options_t){.on_event = hear_slowly});
    pthread_mutex_lock(&heard.state);
    CHECK(mambridge_version_info_sdk_version(client, NULL, NULL, &error));
    pthread_mutex_unlock(&heard.state);
    mambridge_free(client);
    CHECK(heard.last == 25000 && heard.gaps == 1);
}

static void forget(mambridge_request_t *request, void *user)
{
    (void)request, (void)user;
}

static void refuse(
    mambridge_request_t *request, const mambridge_management_will_be_removed_request_t *params, void *user)
{
    (void)params, (void)user;
    CHECK(!mambridge_answer_restart_application(request, true));
    CHECK(mambridge_refuse(request, MAMBRIDGE_ERROR_CANCELED, NULL));
    CHECK(!mambridge_refuse(request, MAMBRIDGE_ERROR_CANCELED, NULL));
}

static void show_alert(mambridge_request_t *request, const mambridge_show_alert_request_t *params, void *user)
{
    (void)request, (void)params, (void)user;
    CHECK(false);
}

static void questions(void)
{
    mambridge_host_t host = {
        .restart_application = forget, .management_will_be_removed = refuse, .show_alert = show_alert};
    mambridge_client_t *client = start("questions", &(mambridge_client_options_t){.host = &host});
    char *codes;
    CHECK(mambridge_version_info_sdk_version(client, NULL, &codes, &error));
    CHECK(strstr(codes, "s1:-32601 ") && strstr(codes, "s2:-32603 "));
    CHECK(strstr(codes, "s3:7002 ") && strstr(codes, "s4:-32602 "));
    mambridge_string_free(codes);
    mambridge_free(client);
}

/* What the caller passes is copied, and only the copy is cleared. */
static void kept_arguments(void)
{
    mambridge_client_t *client = start("", NULL);
    json_t *others = json_pack("{s:s}", "some", "thing");
    mambridge_test_settings_t settings = {.pin_required = mambridge_boolean(true), .others = others};
    CHECK(mambridge_debug_set_policy(client, &settings, NULL, &error));
    CHECK(strcmp(json_string_value(json_object_get(others, "some")), "thing") == 0);
    json_decref(others);
    mambridge_free(client);
}

static void close_on_event(mambridge_client_t *client, const mambridge_event_t *event, void *user)
{
    (void)user;
    struct timespec time = event->as.policy_did_change.time;
    CHECK(event->kind == MAMBRIDGE_EVENT_POLICY_DID_CHANGE && time.tv_sec == 1767222000 && time.tv_nsec == 500000000);
    mambridge_close(client);
}

static void closed_by_handler(void)
{
    mambridge_client_options_t options = {.on_event = close_on_event};
    mambridge_client_t *client = start("events", &options);
    while (mambridge_version_info_sdk_version(client, NULL, NULL, &error))
        continue;
    CHECK(error.kind == MAMBRIDGE_ERROR_CONNECTION_LOST);
    mambridge_free(client);
    sleep(1); /* for the handler to end */
}

/* Returns whether all went well. */
static bool try_all(void)
{
    char *command[] = {self, "serve", "", NULL};
    mambridge_account_list_t accounts;
    mambridge_options_t options = {.timeout_milliseconds = 10000};
    mambridge_client_t *client = mambridge_spawn(command, NULL, &error);
    bool good = client && mambridge_enrollment_manager_registered_accounts(client, &options, &accounts, &error);
    if (good)
        mambridge_account_list_free(&accounts);
    mambridge_error_t kept = error;
    CHECK(good || kept.message);
    set_left(-1);
    mambridge_free(client);
    return good;
}

static void no_memory(void)
{
    bool good = false;
    json_set_alloc_funcs(__wrap_malloc, free);
    for (long count = 0; !good; count++) {
        CHECK(count < 10000);
        set_left(count);
        good = try_all();
        mambridge_error_clear(&error);
    }
}

static void connection(char *address, char *token_file)
{
    mambridge_client_t *client = mambridge_connect(address, *token_file ? token_file : NULL, NULL, &error);
    char *version;
    CHECK(client);
    CHECK(mambridge_version_info_sdk_version(client, NULL, &version, &error) && *version);
    CHECK(mambridge_pid(client) == 0 && !mambridge_exit_code(client).is_set);
    mambridge_string_free(version);
    mambridge_close(client);
    CHECK(!mambridge_version_info_sdk_version(client, NULL, NULL, &error));
    CHECK(error.kind == MAMBRIDGE_ERROR_CONNECTION_LOST);
    mambridge_free(client);
    CHECK(!mambridge_connect("unix:///no/such/socket", NULL, NULL, &error) && error.message);
    CHECK(!mambridge_connect("carrier pigeon", NULL, NULL, &error) && strstr(error.message, "use tcp://"));
    CHECK(!mambridge_connect("tcp://127.0.0.1", NULL, NULL, &error) && error.message);
}

static const struct example {
    const char *name;
    void (*run)(void);
} examples[] = {
    {"newer-server", newer_server}, {"wrong-values", wrong_values}, {"any-method", any_method}, {"garbage", garbage},
    {"gone", gone}, {"deaf", deaf}, {"closed-input", closed_input},
    {"no-threads", no_threads}, {"forked", forked}, {"talkative", talkative}, {"stray", stray}, {"unblocked", unblocked},
    {"flood", flood}, {"questions", questions},
    {"kept-arguments", kept_arguments}, {"closed-by-handler", closed_by_handler}, {"no-memory", no_memory},
};

int main(int count, char **arguments)
{
    self = arguments[0];
    if (count > 2 && strcmp(arguments[1], "serve") == 0)
        return serve(arguments[2]);
    if (count > 3 && strcmp(arguments[1], "connection") == 0)
        connection(arguments[2], arguments[3]);
    for (size_t index = 0; index < sizeof examples / sizeof examples[0]; index++)
        if (count > 1 && strcmp(arguments[1], examples[index].name) == 0)
            examples[index].run();
    mambridge_error_clear(&error);
    return 0;
}
