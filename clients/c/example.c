/* example [EXECUTABLE]: enrolls a sample account, asks about its policy, and protects a text. */
#define _XOPEN_SOURCE 700
#include "mambridge.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#define ALICE "alice@contoso.example"

static bool show_policy(mambridge_client_t *client, mambridge_error_t *error)
{
    static const struct {
        mambridge_save_location_t location;
        const char *name;
    } places[] = {
        {MAMBRIDGE_SAVE_LOCATION_LOCAL_DRIVE, "localDrive"},
        {MAMBRIDGE_SAVE_LOCATION_ONEDRIVE_FOR_BUSINESS, "oneDriveForBusiness"},
        {MAMBRIDGE_SAVE_LOCATION_DROPBOX, "dropbox"},
    };
    mambridge_policy_is_save_to_allowed_for_location_params_t params = {.account = ALICE, .location_account = ALICE};
    for (size_t index = 0; index < sizeof places / sizeof places[0]; index++) {
        bool allowed;
        if (!mambridge_policy_is_save_to_allowed_for_location(client, places[index].location, &params, &allowed, error))
            return false;
        printf("save to %s: %s\n", places[index].name, allowed ? "yes" : "no");
    }
    return true;
}

static bool protect_text(mambridge_client_t *client, mambridge_error_t *error)
{
    char *sealed = NULL, *text = NULL;
    const char *figures = "quarterly figures";
    bool good = mambridge_data_protection_manager_protect_string(client, figures, ALICE, NULL, &sealed, error)
        && mambridge_data_protection_manager_unprotect_string(client, sealed, NULL, &text, error);
    if (good)
        printf("unprotected: %s\n", text);
    mambridge_string_free(sealed);
    mambridge_string_free(text);
    return good;
}

static void open_missing_file(mambridge_client_t *client, mambridge_error_t *error)
{
    static const mambridge_file_flag_t flags[] = {MAMBRIDGE_FILE_FLAG_READ_ONLY};
    mambridge_file_open_params_t params = {.flags = {flags, 1}};
    if (!mambridge_file_open(client, "/no/such/file", &params, NULL, error)
        && error->kind == MAMBRIDGE_ERROR_FILE_UNAVAILABLE)
        printf("refused: %s\n", error->message);
}

static bool run(mambridge_client_t *client, mambridge_error_t *error)
{
    mambridge_enrollment_status_t *status;
    if (!mambridge_enrollment_manager_register_and_enroll_account(client, ALICE, NULL, &status, error))
        return false;
    printf("enrollment: %s\n", status->did_succeed ? "done" : "failed");
    mambridge_enrollment_status_free(status);
    if (!show_policy(client, error) || !protect_text(client, error))
        return false;
    open_missing_file(client, error);
    return true;
}

static int delete_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

int main(int count, char **arguments)
{
    const char *folder = getenv("TMPDIR");
    char state[4096];
    snprintf(state, sizeof state, "%s/mambridge-example-XXXXXX", folder && *folder ? folder : "/tmp");
    bool made = mkdtemp(state) != NULL;
    char *command[] = {count > 1 ? arguments[1] : "mambridge", "--tenant", "sample", "--state", state, NULL};
    mambridge_error_t error = {0};
    mambridge_client_t *client = made ? mambridge_spawn(command, NULL, &error) : NULL;
    bool good = client && run(client, &error);
    if (!good)
        fprintf(stderr, "%s\n", error.message ? error.message : "cannot create a temporary folder");
    mambridge_free(client);
    if (made)
        nftw(state, delete_entry, 16, FTW_DEPTH | FTW_PHYS);
    mambridge_error_clear(&error);
    return good ? 0 : 1;
}
