/* Writes of 8 KiB by several threads, each through the whole of one file or device, and nothing else: no clock, no new data,
   no counts but one. plain_writes FILE THREADS DEPTH SECONDS prints operations a second and operations. At depth 1 with
   pwrite(2); else direct, with io_uring, DEPTH writes in one call that waits for all of them. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 8192, MOST = 64 };

static int file, depth, threads;
static volatile int is_over;
static uint64_t blocks, done[MOST];

struct ring {
    int number;
    struct io_uring_params about;
    struct io_uring_sqe *entries;
    char *places;
    char *buffers;
};

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void *mapped(int number, size_t bytes, off_t at) {
    void *found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, number, at);
    if (found == MAP_FAILED) fail("mmap");
    return found;
}

static void set_up(struct ring *ring) {
    struct io_uring_params *about = &ring->about;
    about->flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
    ring->number = syscall(SYS_io_uring_setup, depth, about);
    if (ring->number < 0) fail("io_uring_setup");
    ring->entries = mapped(ring->number, about->sq_entries * sizeof *ring->entries, IORING_OFF_SQES);
    size_t bytes = about->cq_off.cqes + about->cq_entries * sizeof(struct io_uring_cqe);
    ring->places = mapped(ring->number, bytes + about->sq_off.array + 4 * about->sq_entries, IORING_OFF_SQ_RING);
    struct iovec region = {ring->buffers, (size_t)BLOCK * depth};
    if (syscall(SYS_io_uring_register, ring->number, IORING_REGISTER_BUFFERS, &region, 1) < 0) fail("buffers");
    if (syscall(SYS_io_uring_register, ring->number, IORING_REGISTER_FILES, &file, 1) < 0) fail("files");
}

static unsigned *word(struct ring *ring, unsigned at) {
    return (unsigned *)(ring->places + at);
}

static void write_some(struct ring *ring, uint64_t first) {
    unsigned tail = *word(ring, ring->about.sq_off.tail), mask = ring->about.sq_entries - 1;
    for (int slot = 0; slot < depth; slot++) {
        struct io_uring_sqe *entry = &ring->entries[(tail + slot) & mask];
        *entry = (struct io_uring_sqe){.opcode = IORING_OP_WRITE_FIXED, .flags = IOSQE_FIXED_FILE, .len = BLOCK};
        entry->addr = (uintptr_t)(ring->buffers + (size_t)slot * BLOCK);
        entry->off = (first + slot) % blocks * BLOCK;
        word(ring, ring->about.sq_off.array)[(tail + slot) & mask] = (tail + slot) & mask;
    }
    __atomic_store_n(word(ring, ring->about.sq_off.tail), tail + depth, __ATOMIC_RELEASE);
    int flags = IORING_ENTER_GETEVENTS;
    if (syscall(SYS_io_uring_enter, ring->number, depth, depth, flags, NULL, 0) != depth) fail("io_uring_enter");
    unsigned *head = word(ring, ring->about.cq_off.head);
    struct io_uring_cqe *found = (struct io_uring_cqe *)(ring->places + ring->about.cq_off.cqes);
    for (int slot = 0; slot < depth; slot++)
        if (found[(*head + slot) & (ring->about.cq_entries - 1)].res != BLOCK) fail("a write");
    __atomic_store_n(head, *head + depth, __ATOMIC_RELEASE);
}

static void *writer(void *number) {
    struct ring ring = {0};
    uint64_t *count = &done[(intptr_t)number], own = 0;
    if (posix_memalign((void **)&ring.buffers, 4096, (size_t)BLOCK * depth) != 0) fail("memory");
    memset(ring.buffers, 7, (size_t)BLOCK * depth);
    if (depth > 1) set_up(&ring);
    for (; !is_over; own += depth) {
        if (depth > 1)
            write_some(&ring, own);
        else if (syscall(SYS_pwrite64, file, ring.buffers, BLOCK, own % blocks * BLOCK) != BLOCK)
            fail("pwrite");
    }
    *count = own;
    return NULL;
}

int main(int count, char **words) {
    if (count != 5) return 2;
    threads = atoi(words[2]), depth = atoi(words[3]);
    file = open(words[1], O_RDWR | O_CLOEXEC | (depth > 1 ? O_DIRECT : 0));
    if (file < 0 || threads < 1 || threads > MOST || depth < 1) fail(words[1]);
    blocks = lseek(file, 0, SEEK_END) / BLOCK;
    pthread_t all[MOST];
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (intptr_t number = 0; number < threads; number++)
        if (pthread_create(&all[number], NULL, writer, (void *)number) != 0) fail("pthread_create");
    usleep(atof(words[4]) * 1e6);
    is_over = 1;
    uint64_t sum = 0;
    for (int number = 0; number < threads; number++) {
        pthread_join(all[number], NULL);
        sum += done[number];
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("%.1f %lu\n", sum / (to.tv_sec - from.tv_sec + (to.tv_nsec - from.tv_nsec) / 1e9), (unsigned long)sum);
    return 0;
}
