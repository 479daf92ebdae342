/* cost CALLS COMMAND…: does the same as cost.py with the C client. */
#include <mambridge.h>
#include <stdio.h>
#include <stdlib.h>

static bool run(mambridge_client_t *client, int calls, mambridge_error_t *error)
{
    for (int call = 0; call < calls; call++) {
        char *answer = NULL;
        if (!mambridge_version_info_sdk_version(client, NULL, &answer, error))
            return false;
        if (call == calls - 1) {
            printf("%s\n", answer);
            fflush(stdout);
        }
        mambridge_string_free(answer);
    }
    return true;
}

int main(int argc, char *argv[])
{
    int calls = argc > 2 ? atoi(argv[1]) : 0;
    mambridge_error_t error = {0};
    mambridge_client_t *client = mambridge_spawn(argv + 2, NULL, &error);
    bool good = client && run(client, 1, &error) && run(client, calls, &error) && run(client, calls, &error);
    if (!good)
        fprintf(stderr, "%s\n", error.message);
    mambridge_free(client);
    mambridge_error_clear(&error);
    return good ? 0 : 1;
}
