/* First fit over units of 16 bytes, a byte of a table for each, for the CPU: what is freed serves
   any size again, and the empty heap serves a block of all units. A test compiles it as a shared
   library. */
typedef unsigned long long u64;
enum { FREE, FIRST, MORE };
struct Heap {
    u64 lock;
    char *blocks;
    unsigned char *table;
    u64 units, next;
    /* The table of a small pool, of which all are units. */
    unsigned char small[128];
};
static void take(struct Heap *h) { while (__atomic_exchange_n(&h->lock, 1, __ATOMIC_ACQUIRE)) ; }
static void leave(struct Heap *h) { __atomic_store_n(&h->lock, 0, __ATOMIC_RELEASE); }

void heapwood_init(void *state, void *pool, u64 bytes, unsigned thread, unsigned threads) {
    struct Heap *h = state;
    if (thread != 0) return;
    u64 in_front = bytes <= 16 * sizeof h->small ? 0 : (bytes / 17 + 16) & ~15ull;
    h->table = in_front ? pool : h->small;
    h->blocks = (char *)pool + in_front;
    h->units = (bytes - in_front) / 16;
    for (u64 unit = 0; unit < h->units; unit++) h->table[unit] = FREE;
}

/* The first of so many free units between two places, or the second place. */
static u64 find(struct Heap *h, u64 from, u64 to, u64 units) {
    for (u64 unit = from, first = from; unit < to; unit++) {
        if (h->table[unit] != FREE) first = unit + 1;
        else if (unit + 1 - first == units) return first;
    }
    return to;
}

void *heapwood_malloc(void *state, u64 bytes) {
    struct Heap *h = state;
    if (bytes > 16 * h->units) return 0;
    u64 units = (bytes + 15) / 16;
    char *block = 0;
    take(h);
    u64 first = find(h, h->next, h->units, units);
    if (first == h->units) first = find(h, 0, h->units, units);
    if (first != h->units) {
        h->table[first] = FIRST;
        for (u64 unit = first + 1; unit < first + units; unit++) h->table[unit] = MORE;
        h->next = first + units;
        block = h->blocks + 16 * first;
    }
    leave(h);
    return block;
}

void heapwood_free(void *state, void *block) {
    struct Heap *h = state;
    u64 unit = ((char *)block - h->blocks) / 16;
    take(h);
    do h->table[unit++] = FREE; while (unit < h->units && h->table[unit] == MORE);
    leave(h);
}
