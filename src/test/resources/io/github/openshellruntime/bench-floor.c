/* SPDX-License-Identifier: Apache-2.0
 * The floor of the benchmarks: what the system itself needs.
 *   floor run CAPTURE TIMES COMMAND...   starts and awaits; capturing with poll over two pipes, the first 256 KiB kept
 *   floor write DIR SIZE TIMES           open, write, fsync, rename, fsync of the directory
 * Prints one line each time: nanoseconds, bytes seen, exit code.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
static char kept[2][262144], scratch[65536];

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void run(int capture, char **command) {
    long long start = now(), seen[2] = {0, 0};
    int out[2], err[2], status;
    pid_t pid;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (capture) {
        if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) exit(1);
        posix_spawn_file_actions_adddup2(&actions, out[1], 1);
        posix_spawn_file_actions_adddup2(&actions, err[1], 2);
    } else {
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    }
    if (posix_spawn(&pid, command[0], &actions, NULL, command, environ)) exit(1);
    posix_spawn_file_actions_destroy(&actions);
    if (capture) {
        close(out[1]);
        close(err[1]);
        struct pollfd fds[2] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
        int open = 2;
        while (open > 0) {
            poll(fds, 2, -1);
            for (int i = 0; i < 2; i++) {
                if (fds[i].fd < 0 || !fds[i].revents) continue;
                long long room = sizeof kept[i] - seen[i];
                ssize_t n = room > 0 ? read(fds[i].fd, kept[i] + seen[i], room) : read(fds[i].fd, scratch, sizeof scratch);
                if (n <= 0) { close(fds[i].fd); fds[i].fd = -1; open--; } else seen[i] += n;
            }
        }
    }
    waitpid(pid, &status, 0);
    printf("%lld %lld %d\n", now() - start, seen[0] + seen[1], WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static void put(const char *dir, size_t size) {
    char temp[4096], target[4096], *bytes = malloc(size);
    memset(bytes, 'x', size);
    snprintf(temp, sizeof temp, "%s/.floor.tmp", dir);
    snprintf(target, sizeof target, "%s/floor.policy.json", dir);
    long long start = now();
    int directory = open(dir, O_RDONLY), file = open(temp, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (write(file, bytes, size) != (ssize_t) size || fsync(file) || close(file) || rename(temp, target) || fsync(directory)) exit(1);
    close(directory);
    printf("%lld %zu 0\n", now() - start, size);
    free(bytes);
}

int main(int argc, char **argv) {
    if (argc > 4 && !strcmp(argv[1], "run")) {
        for (int i = atoi(argv[3]); i > 0; i--) run(atoi(argv[2]), argv + 4);
    } else if (argc == 5 && !strcmp(argv[1], "write")) {
        for (int i = atoi(argv[4]); i > 0; i--) put(argv[2], strtoul(argv[3], NULL, 10));
    } else {
        return 2;
    }
    return 0;
}
