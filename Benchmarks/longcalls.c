// longcalls echo: repeatedly reads a line and writes it back, which measures the cost of moving the bytes.
// longcalls time FILE COUNT -- CMD [ARGS...]: writes the line in FILE to CMD's standard input and reads one line back,
// COUNT times after COUNT/10 times to warm up. Prints the median time in milliseconds to stderr, and the last answer to
// stdout.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct line {
  char *bytes;
  size_t count, capacity;
};

static void fail(const char *what) {
  fprintf(stderr, "longcalls: %s\n", what);
  exit(2);
}

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

// Reads up to and including the line feed; false at the end of input. Only one line is in flight at a time.
static int read_line(int from, struct line *line) {
  line->count = 0;
  do {
    if (line->capacity - line->count < 1 << 16) {
      line->capacity = line->capacity * 2 + (1 << 20);
      line->bytes = realloc(line->bytes, line->capacity);
      if (!line->bytes) fail("out of memory");
    }
    ssize_t got = read(from, line->bytes + line->count, line->capacity - line->count);
    if (got <= 0) return 0;
    line->count += got;
  } while (line->bytes[line->count - 1] != '\n');
  return 1;
}

static void write_line(int to, const struct line *line) {
  for (size_t done = 0; done < line->count;) {
    ssize_t put = write(to, line->bytes + done, line->count - done);
    if (put <= 0) fail("cannot write");
    done += put;
  }
}

static int compare(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return (difference > 0) - (difference < 0);
}

static int measure(const char *path, int count, char **command) {
  int requests[2], answers[2];
  if (count < 1 || pipe2(requests, O_CLOEXEC) || pipe2(answers, O_CLOEXEC)) fail("cannot begin");
  pid_t child = fork();
  if (!child) {
    dup2(requests[0], 0);
    dup2(answers[1], 1);
    execvp(command[0], command);
    _exit(127);
  }
  close(requests[0]);
  close(answers[1]);

  struct line request = {0}, answer = {0};
  int file = open(path, O_RDONLY);
  if (file < 0 || !read_line(file, &request)) fail("cannot read the request");
  double *times = calloc(count, sizeof *times);
  for (int call = -count / 10; call < count; call++) {
    double start = milliseconds();
    write_line(requests[1], &request);
    if (!read_line(answers[0], &answer)) fail("the answers have ended");
    if (call >= 0) times[call] = milliseconds() - start;
  }
  close(requests[1]);
  waitpid(child, NULL, 0);

  qsort(times, count, sizeof *times, compare);
  fprintf(stderr, "%.3f\n", times[count / 2]);
  write_line(1, &answer);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "echo")) {
    struct line line = {0};
    while (read_line(0, &line)) write_line(1, &line);
    return 0;
  }
  if (argc > 5 && !strcmp(argv[1], "time") && !strcmp(argv[4], "--")) return measure(argv[2], atoi(argv[3]), argv + 5);
  fprintf(stderr, "usage: longcalls echo | longcalls time FILE COUNT -- CMD [ARGS...]\n");
  return 2;
}
