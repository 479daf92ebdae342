/* Each line that ends in "wrong" has one mistake, which the compiler must reject; it must accept the others. */
#include <mambridge.h>

void right(mambridge_client_t *client, mambridge_error_t *error);
void wrong(mambridge_client_t *client, mambridge_error_t *error);
mambridge_host_t hosts(void);

static void prompt_for_pin(mambridge_request_t *request, const mambridge_prompt_for_pin_request_t *params, void *user)
{
    mambridge_entered_pin_t pin = {.pin = user, .biometric = MAMBRIDGE_BIOMETRIC_FACE_ID};
    mambridge_answer_prompt_for_pin(request, &pin);
    mambridge_answer_show_alert(request, &pin); /* wrong */
    mambridge_answer_prompt_for_pin(request, "2580"); /* wrong */
    mambridge_answer_prompt_for_pin(request, &(mambridge_entered_pin_t){.pim = "2580"}); /* wrong */
    mambridge_answer_identity_switch_required(request, MAMBRIDGE_ADD_IDENTITY_RESULT_SUCESS); /* wrong */
    mambridge_answer_identity_switch_required(request, MAMBRIDGE_SWITCH_IDENTITY_RESULT_SUCCESS); /* wrong */
    mambridge_refuse(request, MAMBRIDGE_ERROR_CANCELED_BY_USER, params->challenge.title); /* wrong */
    mambridge_refuse(request, MAMBRIDGE_ERROR_CANCELED, params->title); /* wrong */
}

mambridge_host_t hosts(void)
{
    mambridge_host_t host = {.prompt_for_pin = prompt_for_pin};
    host.show_alert = prompt_for_pin; /* wrong */
    host.prompt_for_pins = prompt_for_pin; /* wrong */
    return host;
}

void right(mambridge_client_t *client, mambridge_error_t *error)
{
    bool good, required;
    char *text;
    mambridge_bytes_t bytes = {"text", 4}, sealed;
    mambridge_policy_is_pin_required_params_t params = {
        .options = {.timeout_milliseconds = 500}, .account = "alice", .accounts = {(const char *[]){"alice", "bob"}, 2}};
    good = mambridge_policy_is_pin_required(client, &params, &required, error);
    good = mambridge_policy_is_pin_required(client, NULL, NULL, NULL) && good;
    good = mambridge_data_protection_manager_protect(client, bytes, "alice", NULL, &sealed, error) && good;
    good = mambridge_data_protection_manager_unprotect_string(client, "text", &params.options, &text, error) && good;
    mambridge_setting_changes_t changes = {.accent_color = {.change = MAMBRIDGE_RESET}, .splash_duration = {MAMBRIDGE_SET, 2.5}};
    good = mambridge_settings_set(client, &changes, NULL, error) && good;
}

void wrong(mambridge_client_t *client, mambridge_error_t *error)
{
    bool good, required;
    char *text;
    mambridge_bytes_t bytes = {"text", 4}, sealed;
    mambridge_enrollment_status_t *status;
    good = mambridge_policy_is_pin_requird(client, NULL, &required, error); /* wrong */
    good = mambridge_polcy_is_pin_required(client, NULL, &required, error); /* wrong */
    good = mambridge_policy_is_pin_required(&(mambridge_policy_is_pin_required_params_t){.account = "alice"}, &required, error); /* wrong */
    good = mambridge_policy_is_pin_required(client, &(mambridge_policy_is_pin_required_params_t){.acount = "alice"}, &required, error); /* wrong */
    good = mambridge_policy_is_pin_required(client, &(mambridge_policy_is_pin_required_params_t){.account = bytes}, &required, error); /* wrong */
    good = mambridge_policy_is_pin_required(client, &(mambridge_policy_is_pin_required_params_t){.accounts = "alice"}, &required, error); /* wrong */
    good = mambridge_policy_is_pin_required(client, &(mambridge_policy_is_url_allowed_params_t){.account = "alice"}, &required, error); /* wrong */
    good = mambridge_policy_is_pin_required(client, "alice", &required, error); /* wrong */
    good = mambridge_policy_is_pin_required(client, NULL, &text, error); /* wrong */
    good = mambridge_policy_is_pin_required(client, NULL, required, error); /* wrong */
    good = mambridge_policy_is_pin_required(client, NULL, &required, &error); /* wrong */
    good = mambridge_policy_is_save_to_allowed_for_location(client, MAMBRIDGE_SAVE_LOCATION_LOCAL_DISK, NULL, &required, error); /* wrong */
    good = mambridge_policy_is_save_to_allowed_for_location(client, MAMBRIDGE_OPEN_LOCATION_CAMERA, NULL, &required, error); /* wrong */
    good = mambridge_policy_is_save_to_allowed_for_location(client, "dropbox", NULL, &required, error); /* wrong */
    good = mambridge_policy_is_save_to_allowed_for_location(client, NULL, &required, error); /* wrong */
    good = mambridge_data_protection_manager_protect(client, bytes, NULL, &sealed, error); /* wrong */
    good = mambridge_data_protection_manager_protect(client, "text", "alice", NULL, &sealed, error); /* wrong */
    good = mambridge_data_protection_manager_protect(client, bytes, "alice", NULL, &text, error); /* wrong */
    good = mambridge_enrollment_manager_register_and_enroll_account(client, "alice", NULL, status, error); /* wrong */
    good = mambridge_enrollment_manager_register_and_enroll_account(client, "alice", NULL, &text, error); /* wrong */
    good = status->statuscode == 100; /* wrong */
    good = status->status == MAMBRIDGE_ENROLLMENT_STATUS_CODE_NEW_POLICY_RECEIVED; /* wrong */
    good = status->status == MAMBRIDGE_COMPLIANCE_STATUS_COMPLIANT; /* wrong */
    good = mambridge_initialize(client, &(mambridge_initialize_params_t){.sdk_level = MAMBRIDGE_SDK_LEVEL_20}, NULL, error); /* wrong */
    good = mambridge_initialize(client, &(mambridge_initialize_params_t){.events = MAMBRIDGE_PUSH_NAME_LOGGER_LOG}, NULL, error); /* wrong */
    good = mambridge_settings_set(client, &(mambridge_setting_changes_t){.accent_colour = {.change = MAMBRIDGE_RESET}}, NULL, error); /* wrong */
    good = mambridge_settings_set(client, &(mambridge_setting_changes_t){.splash_duration = {MAMBRIDGE_SET, "long"}}, NULL, error); /* wrong */
    good = mambridge_debug_advance_clock(client, "P1D", NULL, NULL, error); /* wrong */
    good = mambridge_debug_advance_clock(client, 86400, NULL, NULL, error); /* wrong */
    good = mambridge_file_open(client, "/tmp/x", &(mambridge_file_open_params_t){.flags = {"readOnly", 1}}, NULL, error); /* wrong */
    good = mambridge_events_list(client, &(mambridge_events_list_params_t){.limit = 5}, NULL, error); /* wrong */
    good = mambridge_enforcement_filter_share_targets(client, "id", NULL, NULL, error); /* wrong */
    good = good && error->kind == MAMBRIDGE_ERROR_POLICY_NEEDED; /* wrong */
    good = good && error->reason; /* wrong */
    mambridge_enrollment_status_free(text); /* wrong */
    mambridge_bytes_free(sealed); /* wrong */
}
