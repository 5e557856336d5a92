/* An allocator with memory of its own, which `heapwood_create` gets: external:pool=own. Blocks
   are granted by one atomic addition, and come back all at once, when the heap is made anew. */

#include <stdint.h>
#include <stdlib.h>

struct heap {
    uint64_t bytes;
    uint64_t next;
    char *memory;
};

static int heaps;

const char *heapwood_create(unsigned long long bytes, void **heap) {
#ifdef FAILS
    return "no memory\nof this kind";
#endif
    struct heap *made = calloc(1, sizeof *made);
    if (made == NULL || heaps != 0) {
        return "there is a heap already";
    }
    made->bytes = bytes;
    made->memory = malloc(bytes);
    heaps = 1;
    *heap = made;
    return made->memory == NULL ? "no memory" : NULL;
}

#ifndef WITHOUT_DESTROY
void heapwood_destroy(void *heap) {
    struct heap *made = heap;
    free(made->memory);
    free(made);
    heaps = 0;
}
#endif

void *heapwood_malloc(void *state, unsigned long long bytes) {
    struct heap *heap = *(struct heap **)state;
    uint64_t whole = (bytes + 15) & ~15ull;
    uint64_t first = __atomic_fetch_add(&heap->next, whole, __ATOMIC_RELAXED);
    if (first + whole > heap->bytes) {
        return NULL;
    }
#ifdef MISALIGNED
    first += 8;
#endif
    return heap->memory + first;
}

void heapwood_free(void *state, void *block) {
    (void)state;
    (void)block;
}
