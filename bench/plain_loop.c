/* The operations of a file, in a plain loop of system calls: what the kernel itself takes.
 *
 * plain_loop OPERATIONS DIRECTORY DIRECTORIES: so many directories d0, d1, ... are there. A line is an operation:
 * kind, stream, file, offset, size. Prints operations, seconds and seconds of processor time,
 * which alone has the last syncfs, as the ager's has. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct operation {
    char kind;
    unsigned stream, file;
    off_t offset, size;
};

static double now(clockid_t clock) {
    struct timespec at;
    clock_gettime(clock, &at);
    return at.tv_sec + at.tv_nsec / 1e9;
}

static void require(int is_well, const char *what) {
    if (!is_well) {
        perror(what);
        exit(1);
    }
}

int main(int count, char **words) {
    require(count == 4, "plain_loop OPERATIONS DIRECTORY DIRECTORIES");
    FILE *text = fopen(words[1], "r");
    require(text != NULL && chdir(words[2]) == 0, words[1]);
    size_t length = 0, room = 1 << 16;
    struct operation *all = malloc(room * sizeof *all), each;
    char word[16], name[32];
    while (fscanf(text, "%15s %u %u %ld %ld", word, &each.stream, &each.file, &each.offset, &each.size) == 5) {
        each.kind = word[0];
        if (length == room)
            all = realloc(all, (room *= 2) * sizeof *all);
        all[length++] = each;
    }
    unsigned directories = atoi(words[3]);
    int *folders = malloc(directories * sizeof *folders);
    for (unsigned index = 0; index < directories; index++) {
        snprintf(name, sizeof name, "d%u", index);
        require((folders[index] = open(name, O_PATH | O_DIRECTORY)) >= 0, name);
    }
    double begin = now(CLOCK_MONOTONIC), begin_cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t index = 0; index < length; index++) {
        struct operation *at = &all[index];
        snprintf(name, sizeof name, "f%04u", at->file);
        if (at->kind == 'c') {
            int file = openat(folders[at->stream], name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0644);
            require(file >= 0 && fallocate(file, 0, 0, at->size) == 0 && close(file) == 0, name);
        } else {
            require(at->kind == 'd' && unlinkat(folders[at->stream], name, 0) == 0, name);
        }
    }
    double seconds = now(CLOCK_MONOTONIC) - begin;
    require(syncfs(open(".", O_RDONLY)) == 0, "syncfs");
    double cpu = now(CLOCK_PROCESS_CPUTIME_ID) - begin_cpu;
    printf("%zu %f %f\n", length, seconds, cpu);
    return 0;
}
