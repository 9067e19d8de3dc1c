/* Unlike loads at once, each a process that does the calls of a list around and around: what the kernel itself takes.
 *
 * plain_mix SECONDS LOAD...: a load is FILE,CALLS,SYNC. CALLS has 24 bytes a call (offset, size, whether it writes, each of
 * 8 bytes in the order of this machine); with SYNC 1 fdatasync follows each write. Prints operations of all. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 64, LARGEST = 1 << 20 };

struct call {
    uint64_t offset, size, writes;
};

static void require(int is_well, const char *what) {
    if (!is_well) {
        perror(what);
        exit(1);
    }
}

static void go_around(const char *path, const char *list, int syncs, const volatile int *is_over, uint64_t *done) {
    int file = open(path, O_RDWR | O_CLOEXEC), calls = open(list, O_RDONLY | O_CLOEXEC);
    require(file >= 0 && calls >= 0, path);
    size_t count = lseek(calls, 0, SEEK_END) / sizeof(struct call);
    struct call *all = mmap(NULL, count * sizeof *all, PROT_READ, MAP_PRIVATE | MAP_POPULATE, calls, 0);
    char *buffer = malloc(LARGEST);
    require(count > 0 && all != MAP_FAILED && buffer != NULL, list);
    memset(buffer, 7, LARGEST);
    uint64_t own = 0;
    for (size_t at = 0; !*is_over; at = at + 1 == count ? 0 : at + 1, own++) {
        const struct call *one = &all[at];
        ssize_t moved = one->writes ? pwrite(file, buffer, one->size, one->offset) : pread(file, buffer, one->size, one->offset);
        require(moved == (ssize_t)one->size, path);
        if (syncs && one->writes) require(fdatasync(file) == 0, path);
    }
    *done = own;
}

int main(int count, char **words) {
    int loads = count - 2;
    require(loads > 0 && loads <= MOST, "plain_mix SECONDS FILE,CALLS,SYNC...");
    struct {
        volatile int is_over;
        uint64_t done[MOST];
    } *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    require(shared != MAP_FAILED, "mmap");
    for (int number = 0; number < loads; number++) {
        char *path = strtok(words[number + 2], ","), *list = strtok(NULL, ","), *syncs = strtok(NULL, ",");
        require(path && list && syncs, "FILE,CALLS,SYNC");
        pid_t child = fork();
        require(child >= 0, "fork");
        if (child == 0) {
            go_around(path, list, atoi(syncs), &shared->is_over, &shared->done[number]);
            _exit(0);
        }
    }
    usleep(atof(words[1]) * 1e6);
    shared->is_over = 1;
    uint64_t sum = 0;
    for (int number = 0, status; number < loads; number++)
        require(wait(&status) > 0 && status == 0, "a load");
    for (int number = 0; number < loads; number++) sum += shared->done[number];
    printf("%lu\n", (unsigned long)sum);
    return 0;
}
