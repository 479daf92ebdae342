/* floor CALLS COMMAND…: does the same as floor.py. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char request[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"versionInfo.sdkVersion\"}\n";

static bool ask(int input, FILE *output, bool prints)
{
    char line[4096];
    if (write(input, request, sizeof request - 1) < 0 || !fgets(line, sizeof line, output))
        return false;
    json_t *reply = json_loads(line, 0, NULL);
    const char *answer = json_string_value(json_object_get(reply, "result"));
    if (answer && prints) {
        printf("%s\n", answer);
        fflush(stdout);
    }
    json_decref(reply);
    return answer != NULL;
}

int main(int argc, char *argv[])
{
    int calls = argc > 2 ? atoi(argv[1]) : 0, to[2], from[2];
    if (pipe(to) || pipe(from))
        return 1;
    pid_t server = fork();
    if (server == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        for (int end = 0; end < 2; end++) {
            close(to[end]);
            close(from[end]);
        }
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    FILE *output = fdopen(from[0], "r");
    bool good = server > 0 && output;
    for (int part = 0; good && part < 3; part++) {
        int count = part == 0 ? 1 : calls;
        for (int call = 0; good && call < count; call++)
            good = ask(to[1], output, call == count - 1);
    }
    close(to[1]);
    waitpid(server, NULL, 0);
    return good ? 0 : 1;
}
