// tenantload tokens KEY ISSUER AUDIENCE COUNT: prints a token of each user, from the first on, one a line.
//
// tenantload check-in PORT TOKENS FIRST COUNT CONNECTIONS: lets COUNT users from FIRST on check in, each once and with
// its token in the file TOKENS, over this number of connections. Prints JSON: {"seconds", "median", "p99", "slowest",
// "failed"}, times of answers in milliseconds.
//
// tenantload polls PORT FIRST COUNT: opens a connection for each of these users, asks for changes, and again after each
// answer. Prints "open" when all have asked, and ends when standard input does.
//
// KEY is a PEM file with an RSA key, which the issuer calls k1. Benchmarks/tenant.py lists the users.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define TENANT "00000000-0000-4000-9000-000000000000"
enum { LARGEST_ANSWER = 1 << 20, LARGEST_REQUEST = 8192, LARGEST_TOKEN = 4096 };

struct connection {
  int socket;
  char *answer;
  size_t got;
  double start;
};

struct request {
  char *text;
  size_t count;
};

static void fail(const char *what) {
  fprintf(stderr, "tenantload: %s\n", what);
  exit(2);
}

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

static int compare(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return (difference > 0) - (difference < 0);
}

// Base64; the URL's alphabet without padding, or the usual one.
static int encode(char *to, const unsigned char *bytes, int count, int for_url) {
  int length = EVP_EncodeBlock((unsigned char *)to, bytes, count);
  if (!for_url) return length;
  while (length && to[length - 1] == '=') length--;
  for (int at = 0; at < length; at++) to[at] = to[at] == '+' ? '-' : to[at] == '/' ? '_' : to[at];
  to[length] = 0;
  return length;
}

static void sign(char *token, EVP_PKEY *key, const char *issuer, const char *audience, int user) {
  static const char header[] = "{\"alg\":\"RS256\",\"kid\":\"k1\",\"typ\":\"JWT\"}";
  char claims[1024];
  long now = time(NULL);
  int count = snprintf(
      claims, sizeof claims,
      "{\"iss\":\"%s\",\"aud\":\"%s\",\"iat\":%ld,\"nbf\":%ld,\"exp\":%ld,\"tid\":\"" TENANT
      "\",\"oid\":\"00000000-0000-4000-8000-%012x\",\"scp\":\"mam\"}",
      issuer, audience, now, now, now + 3600, user);
  int length = encode(token, (const unsigned char *)header, sizeof header - 1, 1);
  token[length++] = '.';
  length += encode(token + length, (unsigned char *)claims, count, 1);
  unsigned char signature[1024];
  size_t size = sizeof signature;
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) != 1 ||
      EVP_DigestSign(context, signature, &size, (unsigned char *)token, length) != 1)
    fail("cannot sign");
  EVP_MD_CTX_free(context);
  token[length++] = '.';
  encode(token + length, signature, size, 1);
}

// {"id":…,"secret":…}: each user has one registration.
static void registration(char *to, size_t capacity, int user) {
  unsigned char secret[32];
  char seed[64], text[64];
  SHA256((unsigned char *)seed, snprintf(seed, sizeof seed, "secret %d", user), secret);
  encode(text, secret, sizeof secret, 0);
  snprintf(to, capacity, "\"id\":\"00000000-0000-4000-a000-%012x\",\"secret\":\"%s\"", user, text);
}

static struct request post(const char *path, const char *token, const char *body) {
  struct request request = {malloc(LARGEST_REQUEST), 0};
  if (!request.text) fail("out of memory");
  request.count = snprintf(
      request.text, LARGEST_REQUEST,
      "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n%s%s%sContent-Length: %zu\r\n\r\n%s",
      path, token ? "Authorization: Bearer " : "", token ? token : "", token ? "\r\n" : "", strlen(body), body);
  if (request.count >= LARGEST_REQUEST) fail("a request is too long");
  request.text = realloc(request.text, request.count + 1);
  return request;
}

static struct request check_in(int user, const char *token) {
  char body[4096], names[256];
  registration(names, sizeof names, user);
  snprintf(
      body, sizeof body,
      "{\"version\":1,\"reason\":\"checkIn\",\"registration\":{%s},"
      "\"account\":{\"accountId\":\"00000000-0000-4000-8000-%012x\",\"identity\":\"user%d@contoso.example\"},"
      "\"app\":{\"id\":\"com.contoso.mail\",\"version\":\"1.0\",\"sdkVersion\":\"21.7.1\"},"
      "\"device\":{\"tag\":\"00000000-0000-4000-b000-%012x\",\"name\":\"device %d\",\"platform\":\"ios\","
      "\"osVersion\":\"17.0\",\"manufacturer\":\"\",\"model\":\"\",\"jailbroken\":false},"
      "\"etag\":null,\"applied\":[],\"health\":[]}",
      names, user, user, user, user);
  return post("/mam/v1/check-in", token, body);
}

static struct request changes(int user) {
  char body[1024], names[256];
  registration(names, sizeof names, user);
  snprintf(body, sizeof body, "{\"registrations\":[{%s,\"revision\":null}],\"wait\":25}", names);
  return post("/mam/v1/changes", NULL, body);
}

static int open_connection(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int one = 1, made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0 || connect(made, (struct sockaddr *)&address, sizeof address)) fail("cannot connect");
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return made;
}

static void put(int to, struct request request) {
  for (size_t done = 0; done < request.count;) {
    ssize_t sent = write(to, request.text + done, request.count - done);
    if (sent <= 0) fail("cannot write");
    done += sent;
  }
}

// The status of a complete answer; 0 if more must be read.
static int status(struct connection *connection) {
  connection->answer[connection->got] = 0;
  char *end = strstr(connection->answer, "\r\n\r\n");
  if (!end) return 0;
  char *length = strcasestr(connection->answer, "\r\ncontent-length:");
  if (!length || length > end) fail("an answer has no Content-Length");
  if (connection->got < (size_t)(end + 4 - connection->answer) + strtoul(length + 17, NULL, 10)) return 0;
  return atoi(connection->answer + 9);
}

static int print_tokens(char **arguments) {
  FILE *file = fopen(arguments[0], "r");
  EVP_PKEY *key = file ? PEM_read_PrivateKey(file, NULL, NULL, NULL) : NULL;
  if (!key) fail("cannot read the key");
  for (int user = 0, count = atoi(arguments[3]); user < count; user++) {
    char token[LARGEST_TOKEN];
    sign(token, key, arguments[1], arguments[2], user);
    puts(token);
  }
  return 0;
}

// The requests of COUNT users from FIRST on.
static struct request *check_ins(const char *path, int first, int count) {
  struct request *requests = calloc(count, sizeof *requests);
  FILE *file = fopen(path, "r");
  char token[LARGEST_TOKEN];
  for (int user = 0; user < first + count; user++) {
    if (!file || !fgets(token, sizeof token, file)) fail("cannot read the tokens");
    token[strcspn(token, "\n")] = 0;
    if (user >= first) requests[user - first] = check_in(user, token);
  }
  fclose(file);
  return requests;
}

static int measure(char **arguments) {
  int port = atoi(arguments[0]), first = atoi(arguments[2]), count = atoi(arguments[3]), width = atoi(arguments[4]);
  if (count < 1 || width < 1) fail("cannot begin");
  if (width > count) width = count;
  struct request *requests = check_ins(arguments[1], first, count);

  double *times = calloc(count, sizeof *times);
  struct connection *connections = calloc(width, sizeof *connections);
  int poll = epoll_create1(EPOLL_CLOEXEC), next = 0, done = 0, failed = 0;
  for (int at = 0; at < width; at++) {
    connections[at].socket = open_connection(port);
    connections[at].answer = malloc(LARGEST_ANSWER + 1);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &connections[at]};
    epoll_ctl(poll, EPOLL_CTL_ADD, connections[at].socket, &event);
  }
  double start = milliseconds();
  for (int at = 0; at < width; at++) {
    connections[at].start = milliseconds();
    put(connections[at].socket, requests[next++]);
  }
  while (done < count) {
    struct epoll_event events[64];
    int ready = epoll_wait(poll, events, 64, 30000);
    if (!ready) fail("no answer came for 30 seconds");
    for (int at = 0; at < ready; at++) {
      struct connection *connection = events[at].data.ptr;
      ssize_t got = read(connection->socket, connection->answer + connection->got, LARGEST_ANSWER - connection->got);
      if (got <= 0) fail("a connection has ended");
      connection->got += got;
      int code = status(connection);
      if (!code) continue;
      times[done++] = milliseconds() - connection->start;
      if (code != 200 && !failed++) fprintf(stderr, "tenantload: %s\n", connection->answer);
      connection->got = 0;
      if (next == count) continue;
      connection->start = milliseconds();
      put(connection->socket, requests[next++]);
    }
  }
  double seconds = (milliseconds() - start) / 1e3;
  qsort(times, count, sizeof *times, compare);
  printf(
      "{\"seconds\":%.3f,\"median\":%.2f,\"p99\":%.2f,\"slowest\":%.2f,\"failed\":%d}\n", seconds, times[count / 2],
      times[(int)(count * 0.99)], times[count - 1], failed);
  return 0;
}

static int hold_polls(char **arguments) {
  int port = atoi(arguments[0]), first = atoi(arguments[1]), count = atoi(arguments[2]);
  int poll = epoll_create1(EPOLL_CLOEXEC);
  struct request *requests = calloc(count, sizeof *requests);
  struct connection *connections = calloc(count, sizeof *connections);
  for (int at = 0; at < count; at++) {
    requests[at] = changes(first + at);
    connections[at].socket = open_connection(port);
    connections[at].answer = malloc(LARGEST_REQUEST + 1);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = at};
    epoll_ctl(poll, EPOLL_CTL_ADD, connections[at].socket, &event);
    put(connections[at].socket, requests[at]);
  }
  struct epoll_event input = {.events = EPOLLIN, .data.u32 = count};
  epoll_ctl(poll, EPOLL_CTL_ADD, STDIN_FILENO, &input);
  puts("open");
  fflush(stdout);
  while (1) {
    struct epoll_event event;
    if (epoll_wait(poll, &event, 1, -1) < 1) continue;
    if (event.data.u32 == (unsigned)count) return 0;
    struct connection *connection = &connections[event.data.u32];
    ssize_t got = read(connection->socket, connection->answer + connection->got, LARGEST_REQUEST - connection->got);
    if (got <= 0) fail("a connection has ended");
    connection->got += got;
    if (!status(connection)) continue;
    connection->got = 0;
    put(connection->socket, requests[event.data.u32]);
  }
}

int main(int argc, char **argv) {
  if (argc == 6 && !strcmp(argv[1], "tokens")) return print_tokens(argv + 2);
  if (argc == 7 && !strcmp(argv[1], "check-in")) return measure(argv + 2);
  if (argc == 5 && !strcmp(argv[1], "polls")) return hold_polls(argv + 2);
  fprintf(
      stderr, "usage: tenantload tokens KEY ISSUER AUDIENCE COUNT\n"
              "       tenantload check-in PORT TOKENS FIRST COUNT CONNECTIONS\n"
              "       tenantload polls PORT FIRST COUNT\n");
  return 2;
}
