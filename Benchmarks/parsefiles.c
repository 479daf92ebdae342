/* parsefiles FILE...: reads each file and parses it with jansson, as the least that any reader of a tenant folder does.
   Prints the milliseconds for all files and the peak memory of the process in kB. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static int parse(const char *path) {
  struct stat status;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &status)) return perror(path), 1;
  char *text = malloc(status.st_size + 1);
  ssize_t size, length = 0;
  while (text && length < status.st_size && (size = read(file, text + length, status.st_size - length)) > 0)
    length += size;
  close(file);
  if (!text || length < status.st_size) return fprintf(stderr, "parsefiles: cannot read %s\n", path), 1;
  json_error_t error;
  json_t *value = json_loadb(text, length, JSON_DECODE_ANY, &error);
  if (!value) return fprintf(stderr, "parsefiles: %s: %s\n", path, error.text), 1;
  json_decref(value);
  free(text);
  return 0;
}

int main(int count, char **arguments) {
  if (count < 2) return fprintf(stderr, "usage: parsefiles FILE...\n"), 2;
  double begin = milliseconds();
  for (int index = 1; index < count; index++)
    if (parse(arguments[index])) return 1;
  double end = milliseconds();
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("%.3f %ld\n", end - begin, usage.ru_maxrss);
}
