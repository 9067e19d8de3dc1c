/* Random reads of 4 KiB from a file, one at a time with pread(2), each between two reads of the time stamp counter and nothing
   else: what a read costs a process here. plain_reads FILE SECONDS prints its median and its 99th percentile in nanoseconds. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

enum { BLOCK = 4096, MOST = 1 << 23 };

static uint64_t now_ns(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * 1000000000ull + at.tv_nsec;
}

static uint64_t drawn(void) {
    static uint64_t state = 88172645463325252ull;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static int ascending(const void *one, const void *other) {
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

int main(int count, char **words) {
    static uint32_t ticks[MOST];
    void *block;
    int file = count == 3 ? open(words[1], O_RDONLY | O_CLOEXEC) : -1;
    uint64_t blocks = file < 0 ? 0 : lseek(file, 0, SEEK_END) / BLOCK;
    if (blocks == 0 || posix_memalign(&block, BLOCK, BLOCK) != 0) {
        fputs("usage: plain_reads FILE SECONDS\n", stderr);
        return 2;
    }
    uint64_t begin_ns = now_ns(), begin = __rdtsc(), end_ns = begin_ns + (uint64_t)(atof(words[2]) * 1e9);
    size_t done = 0;
    while (done < MOST && (done % 64 != 0 || now_ns() < end_ns)) {
        uint64_t offset = drawn() % blocks * BLOCK, before = __rdtsc();
        if (syscall(SYS_pread64, file, block, BLOCK, offset) != BLOCK) {
            perror("pread");
            return 1;
        }
        ticks[done++] = __rdtsc() - before;
    }
    double scale = (double)(now_ns() - begin_ns) / (__rdtsc() - begin);
    qsort(ticks, done, sizeof *ticks, ascending);
    printf("%.1f %.1f\n", ticks[done / 2] * scale, ticks[done * 99 / 100] * scale);
    return 0;
}
