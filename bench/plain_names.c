/* Empty files by the calls of clients and nothing else: create and close, stat, unlink, a thread a client.
   plain_names FOLDER CLIENTS FILES FOLDERS: FILES of each client; FOLDERS is own or shared. A folder c0, c1, ... is made before.
   Prints a line a pass: its name, seconds, seconds of processor. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1000 };

static int folders[MOST], files, clients;
static const char *pass;
static pthread_barrier_t start;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void *client(void *given) {
    int number = (int)(long)given;
    char name[32];
    struct stat found;
    pthread_barrier_wait(&start);
    for (int file = 0; file < files; file++) {
        snprintf(name, sizeof name, "c%05d-f%06d", number, file);
        if (pass[0] == 'c') {
            int made = openat(folders[number], name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
            if (made < 0) fail(name);
            close(made);
        } else if (pass[0] == 's') {
            if (fstatat(folders[number], name, &found, AT_SYMLINK_NOFOLLOW) != 0) fail(name);
        } else if (unlinkat(folders[number], name, 0) != 0) {
            fail(name);
        }
    }
    return NULL;
}

static double cpu(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec + at.tv_nsec / 1e9;
}

static void all(const char *name) {
    pthread_t threads[MOST];
    pass = name;
    pthread_barrier_init(&start, NULL, clients + 1);
    for (int number = 0; number < clients; number++)
        if (pthread_create(&threads[number], NULL, client, (void *)(long)number) != 0) fail("pthread_create");
    double used = cpu(), begin = now();
    pthread_barrier_wait(&start);
    for (int number = 0; number < clients; number++) pthread_join(threads[number], NULL);
    printf("%s %.9f %.9f\n", name, now() - begin, cpu() - used);
}

int main(int count, char **words) {
    clients = count == 5 ? atoi(words[2]) : 0;
    if (clients < 1 || clients > MOST) return 2;
    files = atoi(words[3]);
    int is_shared = strcmp(words[4], "shared") == 0;
    for (int number = 0; number < clients; number++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/c%d", words[1], is_shared ? 0 : number);
        if ((number == 0 || !is_shared) && mkdir(name, 0700) != 0) fail(name);
        if ((folders[number] = open(name, O_PATH | O_DIRECTORY)) < 0) fail(name);
    }
    all("create");
    all("stat");
    all("unlink");
    return 0;
}
