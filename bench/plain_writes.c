/* Writes of 8 KiB by several threads, each through the whole of one file or device, and nothing else: no clock, no new data,
   no counts but one. plain_writes FILE THREADS DEPTH WANTED SECONDS prints operations a second and operations. At depth 1
   with pwrite(2); else direct, with io_uring: as many writes in one call as are not in flight, up to DEPTH, and it waits until
   WANTED of all have completed. */

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

static int file, depth, wanted, threads;
static volatile int is_over;
static uint64_t blocks, done[MOST];

struct ring {
    int number;
    struct io_uring_params about;
    struct io_uring_sqe *entries;
    char *places;
    char *buffers;
    int idle[MOST]; /* buffers that no write in flight has */
    int idle_count;
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

static int write_some(struct ring *ring, uint64_t first) {
    unsigned tail = *word(ring, ring->about.sq_off.tail), mask = ring->about.sq_entries - 1;
    int count = ring->idle_count;
    for (int number = 0; number < count; number++) {
        struct io_uring_sqe *entry = &ring->entries[(tail + number) & mask];
        *entry = (struct io_uring_sqe){.opcode = IORING_OP_WRITE_FIXED, .flags = IOSQE_FIXED_FILE, .len = BLOCK};
        entry->user_data = ring->idle[number];
        entry->addr = (uintptr_t)(ring->buffers + entry->user_data * BLOCK);
        entry->off = (first + number) % blocks * BLOCK;
        word(ring, ring->about.sq_off.array)[(tail + number) & mask] = (tail + number) & mask;
    }
    __atomic_store_n(word(ring, ring->about.sq_off.tail), tail + count, __ATOMIC_RELEASE);
    int flags = IORING_ENTER_GETEVENTS;
    if (syscall(SYS_io_uring_enter, ring->number, count, wanted, flags, NULL, 0) != count) fail("io_uring_enter");
    unsigned *head = word(ring, ring->about.cq_off.head);
    unsigned at = *head, end = __atomic_load_n(word(ring, ring->about.cq_off.tail), __ATOMIC_ACQUIRE);
    struct io_uring_cqe *found = (struct io_uring_cqe *)(ring->places + ring->about.cq_off.cqes);
    for (ring->idle_count = 0; at != end; at++) {
        struct io_uring_cqe *one = &found[at & (ring->about.cq_entries - 1)];
        if (one->res != BLOCK) fail("a write");
        ring->idle[ring->idle_count++] = one->user_data;
    }
    __atomic_store_n(head, end, __ATOMIC_RELEASE);
    return count;
}

static void *writer(void *number) {
    struct ring ring = {0};
    uint64_t *count = &done[(intptr_t)number], own = 0;
    if (posix_memalign((void **)&ring.buffers, 4096, (size_t)BLOCK * depth) != 0) fail("memory");
    memset(ring.buffers, 7, (size_t)BLOCK * depth);
    if (depth > 1) set_up(&ring);
    for (ring.idle_count = 0; ring.idle_count < depth; ring.idle_count++) ring.idle[ring.idle_count] = ring.idle_count;
    while (!is_over) {
        if (depth > 1) {
            own += write_some(&ring, own);
            continue;
        }
        if (syscall(SYS_pwrite64, file, ring.buffers, BLOCK, own % blocks * BLOCK) != BLOCK)
            fail("pwrite");
        own++;
    }
    *count = own;
    return NULL;
}

int main(int count, char **words) {
    if (count != 6) return 2;
    threads = atoi(words[2]), depth = atoi(words[3]), wanted = atoi(words[4]);
    file = open(words[1], O_RDWR | O_CLOEXEC | (depth > 1 ? O_DIRECT : 0));
    if (file < 0 || threads < 1 || threads > MOST || depth < 1 || depth > MOST || wanted < 1 || wanted > depth) fail(words[1]);
    blocks = lseek(file, 0, SEEK_END) / BLOCK;
    pthread_t all[MOST];
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (intptr_t number = 0; number < threads; number++)
        if (pthread_create(&all[number], NULL, writer, (void *)number) != 0) fail("pthread_create");
    usleep(atof(words[5]) * 1e6);
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
