/* driver SCENARIO COMMAND...: does a scenario of the conformance tests with the C client. See ../README.md. */
#define _GNU_SOURCE
#include "mambridge.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ALICE "alice@contoso.example"
#define BOB "bob@contoso.example"
#define MEGABYTE (1 << 20)

static char **command;
static mambridge_error_t error;

static void need(bool good)
{
    if (good)
        return;
    fprintf(stderr, "%s\n", error.message ? error.message : "no error");
    exit(1);
}

static void pause_for(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static mambridge_client_t *spawn(mambridge_client_options_t options)
{
    options.timeout_milliseconds = 30000;
    mambridge_client_t *client = mambridge_spawn(command, &options, &error);
    need(client);
    return client;
}

static void enroll_alice(mambridge_client_t *client)
{
    need(mambridge_enrollment_manager_register_and_enroll_account(client, ALICE, NULL, NULL, &error));
}

static mambridge_client_t *enrolled(void)
{
    mambridge_client_t *client = spawn((mambridge_client_options_t){0});
    enroll_alice(client);
    return client;
}

static void initialize(mambridge_client_t *client)
{
    need(mambridge_initialize(client, NULL, NULL, &error));
}

static bool is_alive(mambridge_client_t *client)
{
    char *version = NULL;
    bool good = mambridge_version_info_sdk_version(client, NULL, &version, &error) && *version;
    mambridge_string_free(version);
    return good;
}

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

/* Enroll */

/* The driver needs the names of enums only where the table has them. */
static const char *status_name(mambridge_enrollment_status_code_t status)
{
    return status == MAMBRIDGE_ENROLLMENT_STATUS_CODE_NEW_POLICIES_RECEIVED ? "newPoliciesReceived"
        : status == MAMBRIDGE_ENROLLMENT_STATUS_CODE_SINGLE_MANAGED_ACCOUNT_MODE ? "singleManagedAccountMode"
        : status == MAMBRIDGE_ENROLLMENT_STATUS_CODE_UNENROLLMENT_SUCCESS ? "unenrollmentSuccess" : "other";
}

static json_t *identities(const mambridge_account_list_t *accounts)
{
    json_t *found = json_array();
    for (size_t index = 0; index < accounts->count; index++)
        json_array_append_new(found, json_string(accounts->items[index].identity));
    return found;
}

static json_t *enroll(void)
{
    mambridge_client_t *client = spawn((mambridge_client_options_t){0});
    mambridge_account_t *before;
    mambridge_enrollment_status_t *status, *refused;
    mambridge_account_list_t accounts;
    need(mambridge_enrollment_manager_enrolled_account(client, NULL, &before, &error));
    need(mambridge_enrollment_manager_register_and_enroll_account(client, ALICE, NULL, &status, &error));
    need(mambridge_enrollment_manager_register_and_enroll_account(client, BOB, NULL, &refused, &error));
    need(mambridge_enrollment_manager_registered_accounts(client, NULL, &accounts, &error));
    json_t *said = json_pack(
        "{s:o, s:s, s:I, s:b, s:o, s:s, s:s, s:o, s:o}", "before", before ? json_true() : json_null(),
        "status", status_name(status->status), "statusCode", (json_int_t)status->status_code,
        "didSucceed", status->did_succeed, "error", status->error ? json_true() : json_null(),
        "access", status->access == MAMBRIDGE_ACCOUNT_ACCESS_ALLOW ? "allow" : "other",
        "refused", status_name(refused->status), "domain", text_or_null(refused->error ? refused->error->domain : NULL),
        "accounts", identities(&accounts));
    mambridge_account_free(before);
    mambridge_enrollment_status_free(status);
    mambridge_enrollment_status_free(refused);
    mambridge_account_list_free(&accounts);
    mambridge_free(client);
    return said;
}

/* Every value */

static int64_t advance(mambridge_client_t *client, int64_t seconds)
{
    mambridge_clock_time_t *clock;
    need(mambridge_debug_advance_clock(client, (mambridge_duration_t){seconds}, NULL, &clock, &error));
    int64_t time = (int64_t)clock->time.tv_sec;
    mambridge_clock_time_free(clock);
    return time;
}

static void add_clock(mambridge_client_t *client, json_t *said)
{
    int64_t before = advance(client, 1);
    json_object_set_new(said, "seconds", json_integer(advance(client, 86401) - before));
}

static void add_protected(mambridge_client_t *client, json_t *said)
{
    mambridge_bytes_t two = {"\x00\xff", 2}, sealed, opened;
    char *words, *text, hex[5];
    need(mambridge_data_protection_manager_protect(client, two, ALICE, NULL, &sealed, &error));
    need(mambridge_data_protection_manager_unprotect(client, sealed, NULL, &opened, &error));
    need(opened.size == 2);
    const unsigned char *bytes = opened.data;
    snprintf(hex, sizeof hex, "%02x%02x", bytes[0], bytes[1]);
    need(mambridge_data_protection_manager_protect_string(client, "Grüße 👋\n\"\\", ALICE, NULL, &words, &error));
    need(mambridge_data_protection_manager_unprotect_string(client, words, NULL, &text, &error));
    json_object_set_new(said, "bytes", json_string(hex));
    json_object_set_new(said, "text", json_string(text));
    mambridge_bytes_free(&sealed);
    mambridge_bytes_free(&opened);
    mambridge_string_free(words);
    mambridge_string_free(text);
}

static void change_settings(mambridge_client_t *client)
{
    mambridge_setting_changes_t changes = {
        .splash_icon_file_ipad = {MAMBRIDGE_SET, "icon.png"},
        .accent_color = {MAMBRIDGE_SET, "#0A84FF"},
        .splash_duration = {MAMBRIDGE_SET, 2.5},
    };
    need(mambridge_settings_set(client, &changes, NULL, &error));
    changes = (mambridge_setting_changes_t){.accent_color = {.change = MAMBRIDGE_RESET}};
    need(mambridge_settings_set(client, &changes, NULL, &error));
}

static void add_settings(mambridge_client_t *client, json_t *said)
{
    static const mambridge_setting_name_t names[] = {
        MAMBRIDGE_SETTING_NAME_SPLASH_ICON_FILE_IPAD, MAMBRIDGE_SETTING_NAME_ACCENT_COLOR,
        MAMBRIDGE_SETTING_NAME_SPLASH_DURATION, MAMBRIDGE_SETTING_NAME_MULTI_IDENTITY};
    mambridge_settings_get_params_t params = {.names = {names, 4}};
    mambridge_setting_map_t settings;
    json_t *values = json_object(), *sources = json_object();
    change_settings(client);
    need(mambridge_settings_get(client, &params, &settings, &error));
    for (size_t index = 0; index < settings.count; index++) {
        const mambridge_setting_map_entry_t *setting = &settings.items[index];
        mambridge_setting_origin_t source = setting->value.source;
        json_object_set(values, setting->key, setting->value.value);
        json_object_set_new(sources, setting->key, json_string(
            source == MAMBRIDGE_SETTING_ORIGIN_DEFAULT ? "default"
            : source == MAMBRIDGE_SETTING_ORIGIN_OVERRIDE ? "override" : "other"));
    }
    json_object_set_new(said, "settings", values);
    json_object_set_new(said, "sources", sources);
    mambridge_setting_map_free(&settings);
}

static void add_targets(mambridge_client_t *client, json_t *said)
{
    mambridge_share_target_t offered[] = {{"com.example.notes", false, NULL}, {"com.contoso.mail", true, ALICE}};
    mambridge_enforcement_filter_share_targets_params_t params = {.account = ALICE};
    mambridge_filtered_share_targets_t *found;
    json_t *targets = json_array();
    need(mambridge_enforcement_filter_share_targets(
        client, (mambridge_share_target_list_t){offered, 2}, &params, &found, &error));
    for (size_t index = 0; index < found->targets.count; index++)
        json_array_append_new(targets, json_string(found->targets.items[index].id));
    json_object_set_new(said, "targets", targets);
    mambridge_filtered_share_targets_free(found);
}

static void add_policy(mambridge_client_t *client, json_t *said)
{
    mambridge_test_settings_t settings = {
        .pin_required = mambridge_boolean(true), .period_before_pin_reset = mambridge_seconds(30 * 86400)};
    mambridge_debug_set_policy_params_t alice = {.account = ALICE};
    bool required;
    mambridge_notification_policy_t notifications;
    need(mambridge_debug_set_policy(client, &settings, &alice, &error));
    need(mambridge_policy_is_pin_required(
        client, &(mambridge_policy_is_pin_required_params_t){.account = ALICE}, &required, &error));
    need(mambridge_policy_notification_policy(
        client, &(mambridge_policy_notification_policy_params_t){.account = ALICE}, &notifications, &error));
    json_object_set_new(said, "true", json_boolean(required));
    bool allowed = notifications == MAMBRIDGE_NOTIFICATION_POLICY_ALLOW;
    json_object_set_new(said, "enum", json_string(allowed ? "allow" : "other"));
}

static bool has_check(const mambridge_strict_check_list_t *checks, mambridge_strict_check_t check)
{
    for (size_t index = 0; index < checks->count; index++)
        if (checks->items[index] == check)
            return true;
    return false;
}

static void add_checks(mambridge_client_t *client, json_t *said)
{
    static const mambridge_strict_check_t off[] = {
        MAMBRIDGE_STRICT_CHECK_DEPRECATED_API, MAMBRIDGE_STRICT_CHECK_SEVERE_EVENT};
    mambridge_strict_mode_disable_params_t params = {.checks = {off, 2}};
    mambridge_strict_check_list_t on;
    need(mambridge_strict_mode_disable(client, &params, &on, &error));
    json_object_set_new(said, "enums", json_pack(
        "{s:b, s:b}", "severeEvent", has_check(&on, MAMBRIDGE_STRICT_CHECK_SEVERE_EVENT),
        "upnIdentityParam", has_check(&on, MAMBRIDGE_STRICT_CHECK_UPN_IDENTITY_PARAM)));
    mambridge_strict_check_list_free(&on);
}

static json_t *number_for(mambridge_client_t *client, const char *key)
{
    mambridge_app_config_number_value_for_key_params_t params = {.account = ALICE};
    mambridge_optional_number_t number;
    need(mambridge_app_config_number_value_for_key(client, key, &params, &number, &error));
    return number.is_set ? json_real(number.value) : json_null();
}

static int by_text(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static json_t *sorted_names(json_t *object)
{
    const char *names[100], *name;
    size_t count = 0;
    json_t *value, *sorted = json_array();
    json_object_foreach(object, name, value)
        names[count++] = name;
    qsort(names, count, sizeof *names, by_text);
    for (size_t index = 0; index < count; index++)
        json_array_append_new(sorted, json_string(names[index]));
    return sorted;
}

static void add_config(mambridge_client_t *client, json_t *said)
{
    mambridge_app_config_full_data_params_t params = {.account = ALICE};
    mambridge_object_list_t objects;
    need(mambridge_app_config_full_data(client, &params, &objects, &error));
    need(objects.count > 0);
    json_object_set_new(said, "number", number_for(client, "example.maximumAttachmentMegabytes"));
    json_object_set_new(said, "absent", number_for(client, "no.such.key"));
    json_object_set_new(said, "objects", sorted_names(objects.items[0]));
    mambridge_object_list_free(&objects);
}

static bool has_pin(mambridge_client_t *client)
{
    mambridge_pin_status_t *status;
    need(mambridge_pin_status(client, &(mambridge_pin_status_params_t){.account = ALICE}, &status, &error));
    bool is_set = status->is_set;
    mambridge_pin_status_free(status);
    return is_set;
}

static json_t *every_value(void)
{
    mambridge_client_t *client = enrolled();
    json_t *said = json_object();
    add_clock(client, said);
    add_protected(client, said);
    add_settings(client, said);
    add_targets(client, said);
    add_policy(client, said);
    add_checks(client, said);
    add_config(client, said);
    need(mambridge_pin_set(client, "2580", &(mambridge_pin_set_params_t){.account = ALICE}, &error));
    json_object_set_new(said, "isSet", json_boolean(has_pin(client)));
    mambridge_free(client);
    return said;
}

/* Errors and events */

static json_t *error_by_name(void)
{
    mambridge_client_t *client = enrolled();
    mambridge_opened_file_t *file;
    char path[4096];
    char *sealed;
    need(!mambridge_data_protection_manager_protect_string(client, "", ALICE, NULL, &sealed, &error));
    need(error.kind == MAMBRIDGE_ERROR_EMPTY_DATA);
    json_t *empty = json_pack("{s:s, s:I, s:s, s:I, s:b, s:s}", "name", error.name, "code", (json_int_t)error.code,
                              "domain", error.domain, "sdkCode", (json_int_t)error.sdk_code,
                              "retryable", error.retryable, "message", error.message);
    need(getcwd(path, sizeof path - 20));
    strcat(path, "/no such file");
    need(!mambridge_file_open(client, path, NULL, &file, &error));
    json_t *missing = json_pack("{s:s, s:I, s:s, s:o}", "name", error.name, "code", (json_int_t)error.code,
                                "hint", error.hint, "data", json_deep_copy(error.data));
    mambridge_free(client);
    return json_pack("[o, o]", empty, missing);
}

struct arrival {
    pthread_mutex_t state;
    pthread_cond_t came;
    json_t *said;
};

static void heard(mambridge_client_t *client, const mambridge_event_t *event, void *user)
{
    struct arrival *arrival = user;
    const mambridge_policy_did_change_event_t *change = &event->as.policy_did_change;
    need(client && event->kind == MAMBRIDGE_EVENT_POLICY_DID_CHANGE);
    pthread_mutex_lock(&arrival->state);
    arrival->said = json_pack("{s:s, s:s, s:b, s:b}", "event", event->name, "identity", change->identity,
                              "numbered", change->seq > 0, "year", change->time.tv_sec > 30 * 366 * 86400);
    pthread_cond_signal(&arrival->came);
    pthread_mutex_unlock(&arrival->state);
}

static json_t *event_pushed(void)
{
    static const mambridge_push_name_t wanted[] = {MAMBRIDGE_PUSH_NAME_POLICY_MANAGER_POLICY_DID_CHANGE};
    struct arrival arrival = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL};
    mambridge_client_t *client = spawn((mambridge_client_options_t){.on_event = heard, .user = &arrival});
    need(mambridge_initialize(client, &(mambridge_initialize_params_t){.events = {wanted, 1}}, NULL, &error));
    enroll_alice(client);
    pthread_mutex_lock(&arrival.state);
    while (!arrival.said)
        pthread_cond_wait(&arrival.came, &arrival.state);
    pthread_mutex_unlock(&arrival.state);
    mambridge_free(client);
    return arrival.said;
}

/* The host: sets the PIN when asked to, but refuses to enter it. Answers an identity switch as it is told. */

struct screen {
    mambridge_host_t host;
    bool refuses;
    double delay;
    json_t *asked;
};

static void note(struct screen *screen, const char *format, const char *one, const char *window)
{
    char text[200];
    snprintf(text, sizeof text, format, one, window);
    json_array_append_new(screen->asked, json_string(text));
}

static void prompt_for_pin(mambridge_request_t *request, const mambridge_prompt_for_pin_request_t *params, void *user)
{
    bool set = params->challenge.kind == MAMBRIDGE_CHALLENGE_KIND_SET_PIN;
    note(user, "%s in %s", set ? "setPIN" : "enterPIN", params->challenge.window);
    if (set)
        mambridge_answer_prompt_for_pin(request, &(mambridge_entered_pin_t){.pin = "2580"});
    else
        mambridge_refuse(request, MAMBRIDGE_ERROR_CANCELED, NULL);
}

static bool show_nobody(mambridge_client_t *client)
{
    mambridge_policy_manager_set_ui_policy_identity_params_t inbox = {.window = "inbox"};
    mambridge_switch_identity_result_t result;
    return mambridge_policy_manager_set_ui_policy_identity(client, "", &inbox, &result, NULL)
        && result == MAMBRIDGE_SWITCH_IDENTITY_RESULT_SUCCESS;
}

static void identity_switch_required(
    mambridge_request_t *request, const mambridge_identity_switch_required_request_t *params, void *user)
{
    struct screen *screen = user;
    char what[100];
    bool is_reason = params->reason == MAMBRIDGE_IDENTITY_SWITCH_REASON_CANCEL_CONDITIONAL_LAUNCH;
    snprintf(what, sizeof what, "%s to '%s'", is_reason ? "cancelConditionalLaunch" : "other",
             params->identity ? params->identity : "NULL");
    note(screen, "%s in %s", what, params->window);
    pause_for(screen->delay);
    bool good = !screen->refuses && show_nobody(mambridge_request_client(request));
    mambridge_answer_identity_switch_required(
        request, good ? MAMBRIDGE_ADD_IDENTITY_RESULT_SUCCESS : MAMBRIDGE_ADD_IDENTITY_RESULT_FAILED);
}

static mambridge_client_t *spawn_with(struct screen *screen)
{
    screen->asked = json_array();
    screen->host = (mambridge_host_t){
        .user = screen, .prompt_for_pin = prompt_for_pin, .identity_switch_required = identity_switch_required};
    mambridge_client_t *client = spawn((mambridge_client_options_t){.host = &screen->host});
    initialize(client);
    enroll_alice(client);
    return client;
}

static mambridge_switch_identity_result_t show_alice(mambridge_client_t *client)
{
    mambridge_policy_manager_set_ui_policy_identity_params_t inbox = {.window = "inbox"};
    mambridge_switch_identity_result_t result;
    need(mambridge_policy_manager_set_ui_policy_identity(client, ALICE, &inbox, &result, &error));
    return result;
}

/* A client whose window shows Alice, an hour after she set her PIN. */
static mambridge_client_t *show_on(struct screen *screen)
{
    mambridge_client_t *client = spawn_with(screen);
    show_alice(client);
    advance(client, 3600);
    return client;
}

static json_t *challenge_answered(void)
{
    struct screen screen = {.refuses = false};
    mambridge_client_t *client = spawn_with(&screen);
    bool shown = show_alice(client) == MAMBRIDGE_SWITCH_IDENTITY_RESULT_SUCCESS;
    json_t *said = json_pack("{s:o, s:s, s:b}", "asked", screen.asked, "shown", shown ? "success" : "other",
                             "isSet", has_pin(client));
    mambridge_free(client);
    return said;
}

static json_t *identity_switch(bool refuses)
{
    struct screen screen = {.refuses = refuses};
    mambridge_client_t *client = show_on(&screen);
    mambridge_conditional_launch_did_become_active_params_t active = {.window = "inbox"};
    mambridge_conditional_launch_t *launch;
    mambridge_account_t *account;
    need(mambridge_conditional_launch_did_become_active(client, &active, &launch, &error));
    need(mambridge_policy_manager_get_ui_policy_identity(
        client, &(mambridge_policy_manager_get_ui_policy_identity_params_t){.window = "inbox"}, &account, &error));
    json_t *said = json_pack("{s:o, s:s, s:o}", "asked", screen.asked,
                             "verdict", launch->verdict == MAMBRIDGE_LAUNCH_VERDICT_BLOCK ? "block" : "other",
                             "shows", text_or_null(account ? account->identity : NULL));
    mambridge_conditional_launch_free(launch);
    mambridge_account_free(account);
    mambridge_free(client);
    return said;
}

static json_t *identity_switch_answered(void)
{
    return identity_switch(false);
}

static json_t *identity_switch_refused(void)
{
    return identity_switch(true);
}

static json_t *identity_switch_answered_late(void)
{
    struct screen screen = {.delay = 1.5};
    mambridge_client_t *client = show_on(&screen);
    mambridge_conditional_launch_did_become_active_params_t active = {
        .options = {.timeout_milliseconds = 500}, .window = "inbox"};
    need(!mambridge_conditional_launch_did_become_active(client, &active, NULL, &error));
    pause_for(2);
    json_t *said = json_pack("{s:o, s:s, s:b}", "asked", screen.asked, "end", error.name, "alive", is_alive(client));
    mambridge_free(client);
    return said;
}

/* Much */

static json_t *megabyte(void)
{
    mambridge_client_t *client = enrolled();
    unsigned char *data = malloc(MEGABYTE);
    mambridge_bytes_t plain = {data, MEGABYTE}, sealed, opened;
    need(data);
    for (size_t index = 0; index < MEGABYTE; index++)
        data[index] = (unsigned char)(index * 7 % 251);
    need(mambridge_data_protection_manager_protect(client, plain, ALICE, NULL, &sealed, &error));
    need(mambridge_data_protection_manager_unprotect(client, sealed, NULL, &opened, &error));
    bool same = opened.size == MEGABYTE && memcmp(opened.data, data, MEGABYTE) == 0;
    json_t *said = json_pack("{s:I, s:b, s:b}", "length", (json_int_t)opened.size, "same", same,
                             "longer", sealed.size > MEGABYTE);
    mambridge_bytes_free(&sealed);
    mambridge_bytes_free(&opened);
    free(data);
    mambridge_free(client);
    return said;
}

struct listing {
    mambridge_client_t *client;
    pthread_t thread;
    int64_t after;
    bool answered, has_events;
};

static void *wait_for_events(void *argument)
{
    struct listing *listing = argument;
    mambridge_events_list_params_t params = {
        .after = mambridge_integer(listing->after), .wait_milliseconds = mambridge_integer(30000)};
    mambridge_event_list_t *list = NULL;
    listing->answered = mambridge_events_list(listing->client, &params, &list, NULL);
    listing->has_events = list && list->events.count > 0;
    mambridge_event_list_free(list);
    return NULL;
}

static int64_t newest_event(mambridge_client_t *client)
{
    mambridge_event_list_t *list;
    need(mambridge_events_list(client, NULL, &list, &error));
    int64_t next = list->next;
    mambridge_event_list_free(list);
    return next;
}

static json_t *fifty_calls(void)
{
    struct listing listings[50];
    mambridge_client_t *client = spawn((mambridge_client_options_t){0});
    int answered = 0, with_events = 0;
    initialize(client);
    int64_t after = newest_event(client);
    for (int index = 0; index < 50; index++) {
        listings[index] = (struct listing){.client = client, .after = after};
        need(pthread_create(&listings[index].thread, NULL, wait_for_events, &listings[index]) == 0);
    }
    pause_for(0.2);
    enroll_alice(client);
    for (int index = 0; index < 50; index++) {
        pthread_join(listings[index].thread, NULL);
        answered += listings[index].answered;
        with_events += listings[index].has_events;
    }
    mambridge_free(client);
    return json_pack("{s:i, s:i}", "answered", answered, "withEvents", with_events);
}

/* Ends */

static void *cancel_soon(void *canceler)
{
    pause_for(0.3);
    mambridge_canceler_cancel(canceler);
    return NULL;
}

static json_t *cancel(void)
{
    mambridge_client_t *client = spawn((mambridge_client_options_t){0});
    mambridge_canceler_t *canceler = mambridge_canceler_new();
    mambridge_events_list_params_t params = {
        .options = {.canceler = canceler}, .wait_milliseconds = mambridge_integer(60000)};
    pthread_t thread;
    initialize(client);
    need(canceler && pthread_create(&thread, NULL, cancel_soon, canceler) == 0);
    double start = seconds_now();
    need(!mambridge_events_list(client, &params, NULL, &error));
    json_t *said = json_pack("{s:s, s:b, s:b}", "end", error.name, "soon", seconds_now() - start < 20,
                             "alive", is_alive(client));
    pthread_join(thread, NULL);
    mambridge_canceler_free(canceler);
    mambridge_free(client);
    return said;
}

static json_t *deadline(void)
{
    mambridge_client_t *client = spawn((mambridge_client_options_t){0});
    mambridge_events_list_params_t params = {
        .options = {.timeout_milliseconds = 300}, .wait_milliseconds = mambridge_integer(60000)};
    initialize(client);
    double start = seconds_now();
    need(!mambridge_events_list(client, &params, NULL, &error));
    json_t *said = json_pack("{s:s, s:O, s:b, s:b}", "name", error.name,
                             "committed", json_object_get(error.data, "committed"),
                             "soon", seconds_now() - start < 20, "alive", is_alive(client));
    mambridge_free(client);
    return said;
}

static void hear_progress(const mambridge_progress_t *progress, void *user)
{
    char *first = user;
    if (!*first && progress->percentage.is_set)
        snprintf(first, 100, "%s %.0f", progress->kind, progress->percentage.value);
}

static json_t *progress(void)
{
    mambridge_client_t *client = enrolled();
    mambridge_enrollment_status_t *status;
    char first[100] = "";
    mambridge_enrollment_manager_deregister_and_unenroll_account_params_t params = {
        .options = {.on_progress = hear_progress, .user = first}, .with_wipe = mambridge_boolean(true)};
    need(mambridge_enrollment_manager_deregister_and_unenroll_account(client, ALICE, &params, &status, &error));
    json_t *said = json_pack("{s:s, s:s}", "status", status_name(status->status), "first", first);
    mambridge_enrollment_status_free(status);
    mambridge_free(client);
    return said;
}

static void *kill_soon(void *client)
{
    pause_for(0.3);
    kill(mambridge_pid(client), SIGKILL);
    return NULL;
}

static json_t *end_of_call(mambridge_client_t *client)
{
    mambridge_events_list_params_t params = {.wait_milliseconds = mambridge_integer(60000)};
    if (mambridge_events_list(client, &params, NULL, &error) || error.kind != MAMBRIDGE_ERROR_CONNECTION_LOST)
        return json_string("not lost");
    return json_sprintf("signal %lld: %s", -(long long)error.exit_code.value, error.message);
}

static json_t *server_killed(void)
{
    mambridge_client_t *client = spawn((mambridge_client_options_t){0});
    pthread_t thread;
    initialize(client);
    need(pthread_create(&thread, NULL, kill_soon, client) == 0);
    json_t *first = end_of_call(client);
    json_t *second = end_of_call(client);
    pthread_join(thread, NULL);
    mambridge_free(client);
    return json_pack("{s:[o, o]}", "ends", first, second);
}

static json_t *server_gone_at_start(void)
{
    mambridge_client_t *client = spawn((mambridge_client_options_t){0});
    need(!is_alive(client) && error.kind == MAMBRIDGE_ERROR_CONNECTION_LOST);
    mambridge_free(client);
    return json_pack("{s:I, s:s}", "exitCode", (json_int_t)error.exit_code.value, "says", error.message);
}

static json_t *clean_shutdown(void)
{
    mambridge_client_t *client = enrolled();
    need(mambridge_shutdown(client, NULL, &error));
    mambridge_close(client);
    mambridge_close(client);
    bool alive = is_alive(client);
    bool lost = !alive && error.kind == MAMBRIDGE_ERROR_CONNECTION_LOST;
    mambridge_optional_integer_t code = mambridge_exit_code(client);
    mambridge_free(client);
    return json_pack("{s:I, s:s}", "exitCode", (json_int_t)(code.is_set ? code.value : -1000),
                     "afterwards", lost ? "lost" : "answered");
}

/* Processes and signals */

static json_t *lost_or_name(bool good)
{
    return json_string(good ? "answered" : error.kind == MAMBRIDGE_ERROR_CONNECTION_LOST ? "lost" : error.message);
}

static json_t *end_without_status(void)
{
    double start = seconds_now();
    mambridge_client_t *client = spawn((mambridge_client_options_t){0});
    initialize(client);
    kill(mambridge_pid(client), SIGKILL);
    json_t *end = lost_or_name(is_alive(client));
    mambridge_free(client);
    return json_pack("{s:o, s:b}", "end", end, "soon", seconds_now() - start < 20);
}

static void *reap(void *unused)
{
    for (;;)
        if (waitpid(-1, NULL, 0) < 0)
            pause_for(0.001);
    return unused;
}

static json_t *reaper(void)
{
    pthread_t thread;
    need(pthread_create(&thread, NULL, reap, NULL) == 0);
    return end_without_status();
}

static json_t *ignored_sigchld(void)
{
    signal(SIGCHLD, SIG_IGN);
    mambridge_client_t *client = spawn((mambridge_client_options_t){0});
    initialize(client);
    mambridge_free(client);
    return end_without_status();
}

static json_t *in_fork(void)
{
    mambridge_client_t *client = spawn((mambridge_client_options_t){0});
    int status = -1;
    initialize(client);
    double start = seconds_now();
    pid_t child = fork();
    if (child == 0) {
        bool lost = !is_alive(client) && error.kind == MAMBRIDGE_ERROR_CONNECTION_LOST;
        mambridge_free(client);
        _exit(lost ? 0 : 1);
    }
    waitpid(child, &status, 0);
    json_t *said = json_pack("{s:s, s:b, s:b}", "inFork", status == 0 ? "lost" : "other",
                             "soon", seconds_now() - start < 20, "alive", is_alive(client));
    mambridge_free(client);
    return said;
}

static int handled[2]; /* a pipe */

static void handle(int number)
{
    (void)!write(handled[1], &number, 1);
}

/* Returns the canceler if the signal was handled. */
static void *cancel_when_handled(void *canceler)
{
    char byte = 0;
    pause_for(0.3);
    kill(getpid(), SIGUSR1);
    bool was_handled = read(handled[0], &byte, 1) == 1 && byte == SIGUSR1;
    mambridge_canceler_cancel(canceler);
    return was_handled ? canceler : NULL;
}

static json_t *signal_during_a_call(void)
{
    mambridge_client_t *client = spawn((mambridge_client_options_t){0});
    mambridge_canceler_t *canceler = mambridge_canceler_new();
    mambridge_events_list_params_t params = {
        .options = {.canceler = canceler}, .wait_milliseconds = mambridge_integer(60000)};
    struct sigaction action = {.sa_handler = handle}; /* without SA_RESTART */
    pthread_t thread;
    initialize(client);
    need(canceler && pipe(handled) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    need(pthread_create(&thread, NULL, cancel_when_handled, canceler) == 0);
    double start = seconds_now();
    need(!mambridge_events_list(client, &params, NULL, &error));
    bool soon = seconds_now() - start < 20;
    void *was_handled = NULL;
    pthread_join(thread, &was_handled);
    json_t *said = json_pack("{s:b, s:s, s:b, s:b}", "handled", was_handled != NULL, "end", error.name ? error.name : error.message,
                             "soon", soon, "alive", is_alive(client));
    mambridge_canceler_free(canceler);
    mambridge_free(client);
    return said;
}

static json_t *stopped_server(void)
{
    mambridge_client_t *client = spawn((mambridge_client_options_t){0});
    mambridge_options_t options = {.timeout_milliseconds = 300};
    char *version;
    initialize(client);
    double start = seconds_now();
    kill(mambridge_pid(client), SIGSTOP);
    bool late = !mambridge_version_info_sdk_version(client, &options, &version, &error)
        && error.kind == MAMBRIDGE_ERROR_TIMED_OUT;
    json_t *message = json_string(late ? error.message : "");
    kill(mambridge_pid(client), SIGCONT);
    bool alive = is_alive(client);
    mambridge_close(client);
    mambridge_optional_integer_t code = mambridge_exit_code(client);
    mambridge_free(client);
    return json_pack("{s:o, s:b, s:I, s:b}", "late", message, "alive", alive,
                     "exitCode", (json_int_t)(code.is_set ? code.value : -1000), "soon", seconds_now() - start < 20);
}

static json_t *default_sigpipe(void)
{
    static const unsigned char zeros[MEGABYTE];
    mambridge_bytes_t sealed;
    pthread_t thread;
    signal(SIGPIPE, SIG_DFL);
    mambridge_client_t *client = spawn((mambridge_client_options_t){0});
    initialize(client);
    kill(mambridge_pid(client), SIGSTOP);
    need(pthread_create(&thread, NULL, kill_soon, client) == 0);
    json_t *end = lost_or_name(mambridge_data_protection_manager_protect(
        client, (mambridge_bytes_t){zeros, MEGABYTE}, ALICE, NULL, &sealed, &error));
    pthread_join(thread, NULL);
    mambridge_free(client);
    return json_pack("{s:o}", "end", end);
}

static const struct scenario {
    const char *name;
    json_t *(*run)(void);
} scenarios[] = {
    {"enroll", enroll},
    {"every value", every_value},
    {"error by name", error_by_name},
    {"event pushed", event_pushed},
    {"challenge answered", challenge_answered},
    {"identity switch answered", identity_switch_answered},
    {"identity switch refused", identity_switch_refused},
    {"identity switch answered late", identity_switch_answered_late},
    {"megabyte", megabyte},
    {"fifty calls", fifty_calls},
    {"cancel", cancel},
    {"deadline", deadline},
    {"progress", progress},
    {"server killed", server_killed},
    {"server gone at start", server_gone_at_start},
    {"clean shutdown", clean_shutdown},
    {"reaper", reaper},
    {"ignored SIGCHLD", ignored_sigchld},
    {"fork", in_fork},
    {"signal during a call", signal_during_a_call},
    {"stopped server", stopped_server},
    {"default SIGPIPE", default_sigpipe},
};

static json_t *run(const char *name)
{
    for (size_t index = 0; index < sizeof scenarios / sizeof scenarios[0]; index++)
        if (strcmp(scenarios[index].name, name) == 0)
            return scenarios[index].run();
    return NULL;
}

int main(int count, char **arguments)
{
    command = arguments + 2;
    json_t *said = count > 2 ? run(arguments[1]) : NULL;
    if (!said) {
        fprintf(stderr, "cannot do this scenario\n");
        return 1;
    }
    json_dumpf(said, stdout, JSON_COMPACT | JSON_ENCODE_ANY);
    puts("");
    json_decref(said);
    mambridge_error_clear(&error);
    return 0;
}
