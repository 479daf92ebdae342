/* Connections */

/** What a client is made with. All members may be left out. */
typedef struct mambridge_client_options {
    const mambridge_host_t *host; /**< Copied. Its handlers run on threads of their own, so they may make calls. */
    /** Gets the events, one at a time, on a thread of its own. It may make calls. If more than 10,000 events wait, the
     * oldest are dropped, and MAMBRIDGE_EVENT_EVENTS_GAP reports their numbers in their place. */
    void (*on_event)(mambridge_client_t *client, const mambridge_event_t *event, void *user);
    void *user;                     /**< For on_event. */
    int64_t timeout_milliseconds;   /**< For calls without a timeout of their own; 0 is no limit. */
    const char *folder;             /**< The working folder of a child. */
    const char *const *environment; /**< NAME=VALUE strings, ended by NULL, that are added to ours for a child. */
    /** Leaves a child in our process group. By default it has one of its own, and so gets no signal that Ctrl-C or a
     * service manager sends to our group. */
    bool share_process_group;
} mambridge_client_options_t;

/** Starts a server as a child process: `argv` as for execvp, ended by NULL. Returns NULL on failure. */
mambridge_client_t *mambridge_spawn(char *const argv[], const mambridge_client_options_t *options,
                                    mambridge_error_t *error);

/**
 * Connects to unix:///PATH, or to tcp://HOST:PORT with the file of the token that the server names (NULL for a unix
 * socket). Returns NULL on failure.
 */
mambridge_client_t *mambridge_connect(const char *address, const char *token_file,
                                      const mambridge_client_options_t *options, mambridge_error_t *error);

/**
 * Ends the connection: running calls are answered first. A child that does not exit within 35 seconds is ended with
 * SIGTERM, then with SIGKILL. Waits up to 5 seconds for handlers. Later calls fail; closing again does nothing. In a fork,
 * all calls fail, and this leaves the connection to the parent.
 */
void mambridge_close(mambridge_client_t *client);

/**
 * Closes the client and releases it. No other thread may use it any more; a handler that still runs may. A fork that calls
 * it closes its copies of the connection, which otherwise keep the server alive when the parent ends.
 */
void mambridge_free(mambridge_client_t *client);

/** The process id of the child, or 0 for a socket. */
pid_t mambridge_pid(const mambridge_client_t *client);

/**
 * The exit code of the child once it has ended, negative for a signal. It is not set if this program ignores SIGCHLD or
 * waits for any child, and so lost the code.
 */
mambridge_optional_integer_t mambridge_exit_code(mambridge_client_t *client);
