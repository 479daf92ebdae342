/* Values */

/** Bytes. `data` is NULL for no value; an empty value has data that is not NULL. */
typedef struct mambridge_bytes {
    const void *data;
    size_t size;
} mambridge_bytes_t;

/** A length of time in whole seconds. */
typedef struct mambridge_duration {
    int64_t seconds;
} mambridge_duration_t;

/* Values that may be absent. */

typedef struct mambridge_optional_boolean {
    bool is_set;
    bool value;
} mambridge_optional_boolean_t;

typedef struct mambridge_optional_integer {
    bool is_set;
    int64_t value;
} mambridge_optional_integer_t;

typedef struct mambridge_optional_number {
    bool is_set;
    double value;
} mambridge_optional_number_t;

/** Seconds and nanoseconds since 1970 in UTC. */
typedef struct mambridge_optional_time {
    bool is_set;
    struct timespec value;
} mambridge_optional_time_t;

typedef struct mambridge_optional_duration {
    bool is_set;
    mambridge_duration_t value;
} mambridge_optional_duration_t;

static inline mambridge_optional_boolean_t mambridge_boolean(bool value)
{
    mambridge_optional_boolean_t optional = {true, value};
    return optional;
}

static inline mambridge_optional_integer_t mambridge_integer(int64_t value)
{
    mambridge_optional_integer_t optional = {true, value};
    return optional;
}

static inline mambridge_optional_number_t mambridge_number(double value)
{
    mambridge_optional_number_t optional = {true, value};
    return optional;
}

static inline mambridge_optional_time_t mambridge_time(struct timespec value)
{
    mambridge_optional_time_t optional = {true, value};
    return optional;
}

static inline mambridge_optional_duration_t mambridge_seconds(int64_t seconds)
{
    mambridge_optional_duration_t optional = {true, {seconds}};
    return optional;
}

/** What to do with a setting. MAMBRIDGE_KEEP is 0, so a setting that is left out stays as it is. */
typedef enum mambridge_change {
    MAMBRIDGE_KEEP = 0,
    MAMBRIDGE_SET = 1,
    MAMBRIDGE_RESET = 2,
} mambridge_change_t;

void mambridge_string_free(char *string);
void mambridge_bytes_free(mambridge_bytes_t *bytes);

/* Errors */

/**
 * Why a call failed. Initialize it with {0}. A failed call replaces what it holds; a successful call leaves it alone.
 * Its texts and `data` are valid until then, or until mambridge_error_clear. Every function takes NULL for no error.
 */
typedef struct mambridge_error {
    mambridge_error_kind_t kind;
    int64_t code;        /**< The code of JSON-RPC; 0 for an error of the client. */
    const char *name;    /**< The name as the server sent it, which may be newer than `kind`; or NULL. */
    const char *message; /**< What failed. Never NULL after a failure. */
    const char *hint;    /**< What to do, or NULL. */
    const char *domain;  /**< The SDK's domain, or NULL. */
    int64_t sdk_code;    /**< The SDK's code, if there is a domain. */
    bool retryable;      /**< Whether the same call may succeed later. */
    const json_t *data;  /**< All that the server says, or NULL. */
    mambridge_optional_integer_t exit_code; /**< Of the child, if the connection is lost; negative for a signal. */
    json_t *memory;                         /**< Private. */
} mambridge_error_t;

void mambridge_error_clear(mambridge_error_t *error);

/* Calls */

typedef struct mambridge_client mambridge_client_t;

/** How far long work is. */
typedef struct mambridge_progress {
    const char *kind; /**< "begin", "report" or "end" */
    mambridge_optional_number_t percentage;
    const char *message; /**< or NULL */
} mambridge_progress_t;

/**
 * Cancels calls from another thread, but not from a signal handler. One canceler may serve several calls. A canceled
 * call ends with MAMBRIDGE_ERROR_CANCELLED if nothing was changed. If it was too late, the call ends as usual.
 */
typedef struct mambridge_canceler mambridge_canceler_t;

/** Returns NULL if memory runs out. */
mambridge_canceler_t *mambridge_canceler_new(void);
void mambridge_canceler_cancel(mambridge_canceler_t *canceler);

/** Call it when no call uses the canceler any more. */
void mambridge_canceler_free(mambridge_canceler_t *canceler);

/** What a caller can give with any call. Structs of params have it as `options`. */
typedef struct mambridge_options {
    /** The server ends a call that takes longer with MAMBRIDGE_ERROR_DEADLINE_EXCEEDED. 0 is the client's default. */
    int64_t timeout_milliseconds;
    mambridge_canceler_t *canceler;
    /** Called by the calling thread while it waits. */
    void (*on_progress)(const mambridge_progress_t *progress, void *user);
    void *user;
} mambridge_options_t;

/**
 * Makes a call without types: `params` is an object, an array or NULL, and stays the caller's. The result is the
 * caller's, to be released with json_decref.
 */
bool mambridge_call(mambridge_client_t *client, const char *method, json_t *params, const mambridge_options_t *options,
                    json_t **result, mambridge_error_t *error);

/* Requests of the server */

/** A request of the server, valid until its handler returns. */
typedef struct mambridge_request mambridge_request_t;

/** The client that got the request. A handler may make calls with it. */
mambridge_client_t *mambridge_request_client(const mambridge_request_t *request);

/**
 * Refuses a request with an error of the server's list, such as MAMBRIDGE_ERROR_CANCELED. Its usual message is sent if
 * `message` is NULL. Returns false if the answer cannot be sent.
 */
bool mambridge_refuse(mambridge_request_t *request, mambridge_error_kind_t kind, const char *message);
