/* Free lists of powers of two under a lock, for the CPU. A test compiles it as a shared library. */
typedef unsigned long long u64;
struct Heap {
    u64 lock;
    char *pool;
    u64 bytes, next;
    void *free[28];
};
static int class_of(u64 bytes) {
    int c = 0;
    while ((16ull << c) < bytes) c++;
    return c;
}
static void take(struct Heap *h) { while (__atomic_exchange_n(&h->lock, 1, __ATOMIC_ACQUIRE)) ; }
static void leave(struct Heap *h) { __atomic_store_n(&h->lock, 0, __ATOMIC_RELEASE); }

void heapwood_init(void *state, void *pool, u64 bytes, unsigned thread, unsigned threads) {
    if (thread == 0) {
        struct Heap *h = state;
        h->pool = pool;
        h->bytes = bytes;
    }
}
void *heapwood_malloc(void *state, u64 bytes) {
    struct Heap *h = state;
    if (bytes > h->bytes || bytes > (16ull << 26)) return 0;
    int c = class_of(bytes);
    /* 16 bytes in front, for the class. */
    u64 whole = (16ull << c) + 16;
    char *block = 0;
    take(h);
    if (h->free[c]) {
        block = h->free[c];
        h->free[c] = *(void **)block;
    } else if (whole <= h->bytes - h->next) {
        block = h->pool + h->next + 16;
        h->next += whole;
        *(u64 *)(block - 16) = c;
    }
    leave(h);
    return block;
}
void heapwood_free(void *state, void *block) {
    struct Heap *h = state;
    int c = *(u64 *)((char *)block - 16);
    take(h);
    *(void **)block = h->free[c];
    h->free[c] = block;
    leave(h);
}
unsigned long long heapwood_granted(void *state, void *block) {
    return 16ull << *(u64 *)((char *)block - 16);
}
