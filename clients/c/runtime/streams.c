/* The other side: a child process, whose stdin and stdout are a socket each, or a server that listens. */

enum { FINISH = 35, PATIENCE = 5, LAST_LINES = 20, LAST_LINE = 500 };

struct stream {
    int input;       /* for writing: of a child, its stdin alone, so that writing fails once the child has closed it */
    int socket;      /* for reading; the same one for a server that listens */
    int stderr_pipe; /* -1 for none */
    pid_t pid;       /* 0 for none */
    bool has_exited;
    bool knows_exit_code; /* not if the program ignores SIGCHLD or waits for any child */
    int exit_code;
    char lines[LAST_LINES][LAST_LINE + 1]; /* the last ones on stderr; the newest is at line_count - 1 */
    size_t line_count, line_length;
};

static struct timespec now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time;
}

static struct timespec after_milliseconds(int64_t milliseconds)
{
    struct timespec time = now();
    time.tv_sec += milliseconds / 1000;
    time.tv_nsec += milliseconds % 1000 * 1000000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_sec++;
        time.tv_nsec -= 1000000000;
    }
    return time;
}

/* For poll: -1 without a deadline. */
static int milliseconds_until(const struct timespec *deadline)
{
    if (!deadline)
        return -1;
    struct timespec time = now();
    int64_t left = (int64_t)(deadline->tv_sec - time.tv_sec) * 1000 + (deadline->tv_nsec - time.tv_nsec) / 1000000;
    return left <= 0 ? 0 : left > 1000000 ? 1000000 : (int)left;
}

/* The child */

static void keep_stderr(struct stream *stream, const char *text, size_t size)
{
    for (size_t index = 0; index < size; index++) {
        if (text[index] == '\n') {
            stream->line_length = 0;
            continue;
        }
        if (stream->line_length == 0 && stream->line_count == LAST_LINES)
            memmove(stream->lines[0], stream->lines[1], sizeof stream->lines[0] * --stream->line_count);
        if (stream->line_length == 0)
            stream->line_count++;
        char *line = stream->lines[stream->line_count - 1];
        if (stream->line_length < LAST_LINE)
            line[stream->line_length++] = text[index] ? text[index] : '?';
        line[stream->line_length] = '\0';
    }
}

/* Returns false at the end of stderr. */
static bool read_stderr(struct stream *stream)
{
    char chunk[4096];
    ssize_t size = read(stream->stderr_pipe, chunk, sizeof chunk);
    if (size > 0)
        keep_stderr(stream, chunk, (size_t)size);
    return size > 0 || (size < 0 && (errno == EINTR || errno == EAGAIN));
}

static void close_stderr(struct stream *stream)
{
    int pipe = stream->stderr_pipe;
    stream->stderr_pipe = -1; /* first, because a fork closes what it finds here */
    close(pipe);
}

static void shut_down(struct stream *stream)
{
    shutdown(stream->input, SHUT_RDWR);
    shutdown(stream->socket, SHUT_RDWR);
}

static void close_stream(struct stream *stream)
{
    if (stream->input != stream->socket)
        close(stream->input);
    close(stream->socket);
    if (stream->stderr_pipe >= 0)
        close_stderr(stream);
}

/* Reads what is on stderr within some milliseconds. */
static void drain_stderr(struct stream *stream, int milliseconds)
{
    struct timespec deadline = after_milliseconds(milliseconds);
    struct pollfd waiting = {.fd = stream->stderr_pipe, .events = POLLIN};
    while (waiting.fd >= 0 && milliseconds_until(&deadline) > 0 && poll(&waiting, 1, milliseconds) > 0)
        if (!read_stderr(stream)) {
            close_stderr(stream);
            return;
        }
}

static void note_exit(struct stream *stream, int status)
{
    stream->has_exited = stream->knows_exit_code = true;
    stream->exit_code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* A child whose status nobody can learn has exited, too. */
static bool has_exited(struct stream *stream)
{
    int status = 0;
    if (!stream->pid || stream->has_exited)
        return true;
    pid_t found = waitpid(stream->pid, &status, WNOHANG);
    if (found == stream->pid)
        note_exit(stream, status);
    else if (found < 0 && errno == ECHILD)
        stream->has_exited = true;
    return stream->has_exited;
}

/* Opens our ends, and those of the child for its stdin, stdout and stderr. */
static int make_pipes(struct stream *stream, int theirs[3])
{
    int input[2] = {-1, -1}, output[2] = {-1, -1}, pipes[2] = {-1, -1}, problem = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input)
        || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, output) || pipe2(pipes, O_CLOEXEC))
        problem = errno;
    *stream = (struct stream){.input = input[0], .socket = output[0], .stderr_pipe = pipes[0]};
    theirs[0] = input[1];
    theirs[1] = output[1];
    theirs[2] = pipes[1];
    return problem;
}

static int prepare_actions(posix_spawn_file_actions_t *actions, const int theirs[3], const char *folder)
{
    int problem = 0;
    for (int number = 0; number < 3 && !problem; number++)
        problem = posix_spawn_file_actions_adddup2(actions, theirs[number], number);
    return problem || !folder ? problem : posix_spawn_file_actions_addchdir_np(actions, folder);
}

/* The child gets SIGPIPE as usual, and no signal is blocked, as all are on the threads of a client. */
static int prepare_attributes(posix_spawnattr_t *attributes)
{
    sigset_t defaults, blocked;
    sigemptyset(&blocked);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    int problem = posix_spawnattr_setsigdefault(attributes, &defaults);
    problem = problem ? problem : posix_spawnattr_setsigmask(attributes, &blocked);
    return problem ? problem : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

static int start_prepared(struct stream *stream, char *const argv[], char **environment, const int theirs[3],
                          const char *folder)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int problem = posix_spawn_file_actions_init(&actions);
    if (problem)
        return problem;
    if ((problem = posix_spawnattr_init(&attributes)) == 0) {
        problem = prepare_actions(&actions, theirs, folder);
        problem = problem ? problem : prepare_attributes(&attributes);
        problem = problem ? problem : posix_spawnp(&stream->pid, argv[0], &actions, &attributes, argv, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return problem;
}

static size_t length_of(char *const *strings)
{
    size_t count = 0;
    while (strings && strings[count])
        count++;
    return count;
}

static bool has_same_name(const char *one, const char *other)
{
    size_t length = strcspn(one, "=");
    return strncmp(one, other, length) == 0 && other[length] == '=';
}

static bool is_named_in(char *const *strings, const char *one)
{
    for (; *strings; strings++)
        if (has_same_name(*strings, one))
            return true;
    return false;
}

/* Our environment with what is added, as an array to be freed; its strings are not copied. */
static char **joined_environment(char *const *added, bool shares_group)
{
    static char own_group[] = "MAMBRIDGE_PROCESS_GROUP=own"; /* the server then leaves our process group */
    char *none[] = {NULL};
    added = added ? added : none;
    size_t count = 0;
    char **joined = calloc(length_of(environ) + length_of(added) + 2, sizeof *joined);
    for (size_t index = 0; joined && index < length_of(environ); index++)
        if (!is_named_in(added, environ[index]))
            joined[count++] = environ[index];
    for (size_t index = 0; joined && added[index]; index++)
        joined[count++] = added[index];
    if (joined && !shares_group && !is_named_in(joined, own_group))
        joined[count++] = own_group;
    return joined;
}

/* Starts a child. Returns 0, or an errno. */
static int start_child(struct stream *stream, char *const argv[], const mambridge_client_options_t *options)
{
    int theirs[3], problem = make_pipes(stream, theirs);
    char *const *added = (char *const *)(uintptr_t)options->environment;
    char **environment = joined_environment(added, options->share_process_group);
    if (!problem)
        problem = environment ? start_prepared(stream, argv, environment, theirs, options->folder) : ENOMEM;
    free(environment);
    for (int number = 0; number < 3; number++)
        if (theirs[number] >= 0)
            close(theirs[number]);
    return problem;
}

/* Servers that listen */

static int wait_until_connected(int socket, const struct timespec *deadline)
{
    int problem = 0;
    socklen_t size = sizeof problem;
    struct pollfd waiting = {.fd = socket, .events = POLLOUT};
    int ready;
    do
        ready = poll(&waiting, 1, milliseconds_until(deadline));
    while (ready < 0 && errno == EINTR);
    if (ready == 0)
        return ETIMEDOUT;
    return ready < 0 || getsockopt(socket, SOL_SOCKET, SO_ERROR, &problem, &size) ? errno : problem;
}

static int connect_to(struct stream *stream, int family, const struct sockaddr *address, socklen_t size)
{
    struct timespec deadline = after_milliseconds(10000);
    int found = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (found < 0)
        return errno;
    int problem = connect(found, address, size) == 0 ? 0 : errno;
    while (problem == EAGAIN && milliseconds_until(&deadline) > 0) { /* a unix socket with a full backlog */
        poll(NULL, 0, 10);
        problem = connect(found, address, size) == 0 ? 0 : errno;
    }
    if (problem == EINPROGRESS || problem == EINTR)
        problem = wait_until_connected(found, &deadline);
    if (problem)
        close(found);
    else
        stream->input = stream->socket = found;
    return problem;
}

static int connect_to_path(struct stream *stream, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return ENAMETOOLONG;
    memcpy(address.sun_path, path, strlen(path));
    return connect_to(stream, AF_UNIX, (struct sockaddr *)&address, sizeof address);
}

static int connect_to_port(struct stream *stream, const char *host, const char *port)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *found = NULL;
    int problem = getaddrinfo(host, port, &hints, &found) ? EHOSTUNREACH : ECONNREFUSED;
    int one = 1;
    for (struct addrinfo *at = found; at && problem; at = at->ai_next)
        problem = connect_to(stream, at->ai_family, at->ai_addr, at->ai_addrlen);
    if (found)
        freeaddrinfo(found);
    if (!problem)
        setsockopt(stream->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return problem;
}

/* Connects to HOST:PORT, where HOST may be in brackets. */
static int connect_to_host(struct stream *stream, const char *address)
{
    char host[256];
    const char *colon = strrchr(address, ':');
    if (!colon || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return EINVAL;
    size_t length = (size_t)(colon - address);
    bool brackets = length > 1 && address[0] == '[' && colon[-1] == ']';
    if (length >= sizeof host || length == 0)
        return EINVAL;
    snprintf(host, sizeof host, "%.*s", (int)(brackets ? length - 2 : length), address + brackets);
    return connect_to_port(stream, host, colon + 1);
}

/* Returns 0, or an errno: EINVAL if it is no address. */
static int connect_stream(struct stream *stream, const char *address)
{
    if (strncmp(address, "unix://", 7) == 0)
        return connect_to_path(stream, address + 7);
    return strncmp(address, "tcp://", 6) == 0 ? connect_to_host(stream, address + 6) : EINVAL;
}

/* Reads and writes */

/* Waits for bytes from the server, and keeps what is on stderr meanwhile. Returns 0 at the end, and -1 if nothing came
 * before the deadline. */
static ssize_t read_stream(struct stream *stream, char *place, size_t room, const struct timespec *deadline)
{
    for (;;) {
        struct pollfd waiting[] = {
            {.fd = stream->socket, .events = POLLIN}, {.fd = stream->stderr_pipe, .events = POLLIN}};
        int left = milliseconds_until(deadline), ready = poll(waiting, 2, left);
        if (ready < 0 && errno != EINTR)
            return 0;
        if (waiting[1].revents && !read_stderr(stream))
            close_stderr(stream);
        ssize_t size = ready > 0 && waiting[0].revents ? recv(stream->socket, place, room, MSG_DONTWAIT) : -1;
        if (size >= 0)
            return size;
        if (ready > 0 && waiting[0].revents && errno != EAGAIN && errno != EINTR)
            return 0;
        if (left == 0)
            return -1;
    }
}

/* Sends as much as the deadline allows, and returns how much. errno is ETIMEDOUT if the deadline passed. */
static size_t write_stream(struct stream *stream, const char *text, size_t size, const struct timespec *deadline)
{
    size_t sent = 0;
    struct pollfd waiting = {.fd = stream->input, .events = POLLOUT};
    while (sent < size) {
        ssize_t more = send(stream->input, text + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (more >= 0)
            sent += (size_t)more;
        else if (errno != EAGAIN && errno != EINTR)
            break;
        else if (poll(&waiting, 1, milliseconds_until(deadline)) == 0 && milliseconds_until(deadline) == 0) {
            errno = ETIMEDOUT;
            break;
        }
    }
    return sent;
}
