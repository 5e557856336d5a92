/* Allocators that break the contract, each in a way of its own, for the CPU. Macros choose. */
#include <unistd.h>

typedef unsigned long long u64;
struct Bump { char *pool; u64 bytes, next; };

#ifndef WITHOUT_INIT
void heapwood_init(void *state, void *pool, u64 bytes, unsigned thread, unsigned threads) {
    struct Bump *bump = state;
    if (thread == 0) {
        bump->pool = pool;
        bump->bytes = bytes;
    }
}
#endif

#ifndef WITHOUT_MALLOC
void *heapwood_malloc(void *state, u64 bytes) {
    struct Bump *bump = state;
#if defined(WITHOUT_INIT)
    /* The pool is behind the state. */
    bump->pool = (char *)state + 256;
    bump->bytes = 1 << 20;
#endif
    u64 whole = (bytes + 15) & ~15ull;
#if defined(HANGS)
    /* Asleep: whatever else runs meanwhile has the cores. */
    for (;;) pause();
#endif
    u64 first = __atomic_fetch_add(&bump->next, whole, __ATOMIC_RELAXED);
#if defined(MORE)
    /* Two in a hundred blocks more than the pool has, from its begin on again. */
    if (first + whole > bump->bytes + bump->bytes / 50) return 0;
    return bump->pool + first % bump->bytes;
#endif
    if (first + whole > bump->bytes) return 0;
#if defined(BEFORE)
    return bump->pool - 16;
#elif defined(BEYOND)
    return bump->pool + bump->bytes - 16 + (bytes > 16 ? 0 : 16);
#elif defined(MISALIGNED)
    return bump->pool + first + 8;
#elif defined(SAME)
    return bump->pool;
#else
    return bump->pool + first;
#endif
}
#endif

#ifdef WITH_FREE
void heapwood_free(void *state, void *block) {}
#endif
