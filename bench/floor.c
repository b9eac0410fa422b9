// The least that a job of fio's can cost: the same system calls in bare loops, nothing measured but the whole.
//
//   floor read  FILE SECONDS [direct]                        pread of random 4 KiB blocks
//   floor ring  FILE SECONDS fixed|plain [direct] [BATCH]    io_uring, 64 in flight, as fio's t/io_uring
//   floor names DIR COUNT [create|stat|delete]               one of these with empty files, or all, as mdtest does
//   floor rss   COMMAND...                                   runs it; KiB of its peak resident size
//
// Prints one line of JSON. Offsets come from a xorshift; the clock is looked at once in 4,096 requests.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 4096
#define DEPTH 64

static void die(const char *what) {
    perror(what);
    exit(1);
}

static uint64_t clock_ns(clockid_t id) {
    struct timespec time;
    clock_gettime(id, &time);
    return (uint64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// User and system time of all threads, workers of the kernel's included.
static uint64_t cpu_ns(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

static uint64_t state = 88172645463325252u;

static inline uint64_t block_of(uint64_t blocks) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint64_t)(((unsigned __int128)state * blocks) >> 64) * BLOCK;
}

static int open_file(const char *path, int direct, uint64_t *blocks) {
    int fd = open(path, O_RDONLY | (direct ? O_DIRECT : 0));
    struct stat found;
    if (fd < 0 || fstat(fd, &found)) die(path);
    *blocks = found.st_size / BLOCK;
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    return fd;
}

static uint64_t read_loop(int fd, uint64_t blocks, uint64_t end) {
    void *buffer = aligned_alloc(BLOCK, BLOCK);
    uint64_t count = 0;
    do {
        for (int i = 0; i < 4096; i++)
            if (pread(fd, buffer, BLOCK, block_of(blocks)) != BLOCK) die("pread");
        count += 4096;
    } while (clock_ns(CLOCK_MONOTONIC) < end);
    return count;
}

struct ring {
    int fd, fixed, batch;
    unsigned *sq_tail, *sq_mask, *sq_array, *cq_head, *cq_tail, *cq_mask;
    struct io_uring_sqe *sqes;
    struct io_uring_cqe *cqes;
    char *buffers;
};

static void ring_make(struct ring *ring, int file) {
    struct io_uring_params p = {
        .flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SUBMIT_ALL,
    };
    ring->fd = syscall(SYS_io_uring_setup, DEPTH, &p);
    if (ring->fd < 0) die("io_uring_setup");
    size_t sq = p.sq_off.array + p.sq_entries * sizeof(unsigned), cq = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
    char *map = mmap(0, sq > cq ? sq : cq, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQ_RING);
    ring->sqes = mmap(0, p.sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQES);
    if (map == MAP_FAILED || ring->sqes == MAP_FAILED) die("mmap");
    ring->sq_tail = (unsigned *)(map + p.sq_off.tail);
    ring->sq_mask = (unsigned *)(map + p.sq_off.ring_mask);
    ring->sq_array = (unsigned *)(map + p.sq_off.array);
    ring->cq_head = (unsigned *)(map + p.cq_off.head);
    ring->cq_tail = (unsigned *)(map + p.cq_off.tail);
    ring->cq_mask = (unsigned *)(map + p.cq_off.ring_mask);
    ring->cqes = (struct io_uring_cqe *)(map + p.cq_off.cqes);
    ring->buffers = aligned_alloc(BLOCK, DEPTH * BLOCK);
    memset(ring->buffers, 1, DEPTH * BLOCK);
    if (!ring->fixed) return;
    struct iovec all[DEPTH];
    for (int i = 0; i < DEPTH; i++) all[i] = (struct iovec){ring->buffers + i * BLOCK, BLOCK};
    if (syscall(SYS_io_uring_register, ring->fd, IORING_REGISTER_BUFFERS, all, DEPTH)) die("register buffers");
    if (syscall(SYS_io_uring_register, ring->fd, IORING_REGISTER_FILES, &file, 1)) die("register files");
}

static void ring_prepare(struct ring *ring, unsigned at, int slot, int file, uint64_t offset) {
    struct io_uring_sqe *sqe = &ring->sqes[at];
    memset(sqe, 0, sizeof *sqe);
    sqe->opcode = ring->fixed ? IORING_OP_READ_FIXED : IORING_OP_READ;
    sqe->flags = ring->fixed ? IOSQE_FIXED_FILE : 0;
    sqe->fd = ring->fixed ? 0 : file;
    sqe->buf_index = ring->fixed ? slot : 0;
    sqe->addr = (uint64_t)(ring->buffers + slot * BLOCK);
    sqe->len = BLOCK;
    sqe->off = offset;
    sqe->user_data = slot;
    ring->sq_array[at] = at;
}

static uint64_t ring_loop(struct ring *ring, int file, uint64_t blocks, uint64_t end) {
    // Buffers take turns, as in t/io_uring: the last one's cache lines would be warmer than a job's can be.
    int slots[DEPTH], ready = DEPTH;
    unsigned first = 0, free_end = 0;
    uint64_t count = 0, look = 4096;
    for (int i = 0; i < DEPTH; i++) slots[i] = i;
    for (;;) {
        int fresh = ready < ring->batch ? ready : ring->batch;
        unsigned tail = *ring->sq_tail;
        for (int i = 0; i < fresh; i++, ready--)
            ring_prepare(ring, tail++ & *ring->sq_mask, slots[first++ % DEPTH], file, block_of(blocks));
        __atomic_store_n(ring->sq_tail, tail, __ATOMIC_RELEASE);
        // A full queue waits for a batch.
        int want = ready ? 0 : ring->batch;
        if (syscall(SYS_io_uring_enter, ring->fd, fresh, want, IORING_ENTER_GETEVENTS, 0, 0) < 0 && errno != EINTR) die("io_uring_enter");
        unsigned head = *ring->cq_head, last = __atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE);
        for (; head != last; head++, count++) {
            struct io_uring_cqe *cqe = &ring->cqes[head & *ring->cq_mask];
            if (cqe->res != BLOCK) errno = -cqe->res, die("read");
            slots[free_end++ % DEPTH] = cqe->user_data, ready++;
        }
        __atomic_store_n(ring->cq_head, head, __ATOMIC_RELEASE);
        if (count < look) continue;
        if (clock_ns(CLOCK_MONOTONIC) >= end) return count;
        look = count + 4096;
    }
}

// Rates of one operation on all names; the directory's path is part of each name, as in mdtest.
static void names(const char *directory, long count, const char *only) {
    const char *kinds[] = {"create", "stat", "delete"};
    char (*paths)[256] = malloc(count * sizeof *paths);
    for (long i = 0; i < count; i++) snprintf(paths[i], sizeof *paths, "%s/file.mdtest.0.%ld", directory, i);
    printf("{");
    for (int kind = 0, shown = 0; kind < 3; kind++) {
        if (only && strcmp(only, kinds[kind])) continue;
        uint64_t wall = clock_ns(CLOCK_MONOTONIC), cpu = cpu_ns();
        for (long i = 0; i < count; i++) {
            struct stat found;
            int result = kind == 0 ? open(paths[i], O_CREAT | O_RDWR, 0664) : kind == 1 ? stat(paths[i], &found) : unlink(paths[i]);
            if (result < 0 || (kind == 0 && close(result))) die(paths[i]);
        }
        wall = clock_ns(CLOCK_MONOTONIC) - wall, cpu = cpu_ns() - cpu;
        printf("%s\"%s\": {\"requests\": %ld, \"wall_ns\": %lu, \"cpu_ns\": %lu}", shown++ ? ", " : "", kinds[kind], count, wall, cpu);
    }
    printf("}\n");
}

// A small process in between: what exec replaces counts as the child's, and Python is not small.
static void peak_of(char **command) {
    pid_t child = fork();
    if (child == 0) {
        execvp(command[0], command);
        die(command[0]);
    }
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) < 0 || status) die(command[0]);
    printf("%ld\n", usage.ru_maxrss);
}

int main(int argc, char **argv) {
    if (argc > 2 && !strcmp(argv[1], "rss")) return peak_of(argv + 2), 0;
    if (argc < 4) return 2;
    if (!strcmp(argv[1], "names")) return names(argv[2], atol(argv[3]), argv[4]), 0;
    int direct = 0;
    struct ring ring = {.batch = 16};
    for (int i = 4; i < argc; i++) {
        if (!strcmp(argv[i], "direct")) direct = 1;
        else if (!strcmp(argv[i], "fixed")) ring.fixed = 1;
        else if (atoi(argv[i]) > 0) ring.batch = atoi(argv[i]);
    }
    uint64_t blocks, count;
    int file = open_file(argv[2], direct, &blocks), is_ring = !strcmp(argv[1], "ring");
    if (is_ring) ring_make(&ring, file);
    uint64_t wall = clock_ns(CLOCK_MONOTONIC), end = wall + (uint64_t)(atof(argv[3]) * 1e9), cpu = cpu_ns();
    count = is_ring ? ring_loop(&ring, file, blocks, end) : read_loop(file, blocks, end);
    wall = clock_ns(CLOCK_MONOTONIC) - wall, cpu = cpu_ns() - cpu;
    printf("{\"requests\": %lu, \"bytes\": %lu, \"wall_ns\": %lu, \"cpu_ns\": %lu}\n", count, count * BLOCK, wall, cpu);
}
