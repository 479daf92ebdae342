/* firstreply LINE COMMAND [ARGUMENT...]: starts the command, writes the line to it, and waits for one line from it.
   Prints the milliseconds from the start to the end of that line, and the peak memory of the process in kB. Ends after
   30 seconds without a line. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static double peak(pid_t process) {
  char path[64], line[256];
  double kilobytes = 0;
  snprintf(path, sizeof path, "/proc/%d/status", process);
  FILE *status = fopen(path, "r");
  while (status && fgets(line, sizeof line, status)) sscanf(line, "VmHWM: %lf", &kilobytes);
  if (status) fclose(status);
  return kilobytes;
}

int main(int count, char **arguments) {
  if (count < 3) return fprintf(stderr, "usage: firstreply LINE COMMAND [ARGUMENT...]\n"), 2;
  alarm(30);
  int input[2], output[2];
  if (pipe2(input, O_CLOEXEC) || pipe2(output, O_CLOEXEC)) return perror("firstreply: pipe"), 1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], 0);
  posix_spawn_file_actions_adddup2(&actions, output[1], 1);
  pid_t process;
  double begin = milliseconds();
  if (posix_spawnp(&process, arguments[2], &actions, NULL, arguments + 2, environ))
    return fprintf(stderr, "firstreply: cannot start %s\n", arguments[2]), 1;
  close(input[0]);
  close(output[1]);
  if (dprintf(input[1], "%s\n", arguments[1]) < 0) return perror("firstreply: write"), 1;
  static char reply[1 << 20];
  ssize_t size;
  do {
    size = read(output[0], reply, sizeof reply);
    if (size <= 0) return fprintf(stderr, "firstreply: no reply\n"), 1;
  } while (!memchr(reply, '\n', size));
  double end = milliseconds();
  printf("%.3f %.0f\n", end - begin, peak(process));
  close(input[1]);
  waitpid(process, NULL, 0);
}
