// An allocator that `heapwood export` wrote, behind the functions that --link takes: so heapwood
// measures it called, beside the same allocator in its kernels. docs/export.md has the commands.

#include "heapwood_cfmalloc.cuh"

using Heap = heapwood_cfmalloc_heap;

// How the pool is divided was computed for a pool of this size.
extern "C" __device__ void heapwood_init(void* state, void* pool, unsigned long long bytes,
                                         unsigned thread, unsigned threads) {
    if (bytes < HEAPWOOD_CFMALLOC_POOL_BYTES) {
        return;
    }
    // Each thread has its own, since none may wait for another.
    Heap heap;
    heapwood_cfmalloc_setup(&heap, pool);
    heapwood_cfmalloc_init(&heap);
    if (thread == 0) {
        *static_cast<Heap*>(state) = heap;
    }
}

// The mask of the calling lane alone: in a function that is called, nobody can tell which lanes
// have come with it. CFMalloc serves lanes one by one anyway.
static __device__ unsigned alone() {
    return 1u << (threadIdx.x % 32);
}

extern "C" __device__ void* heapwood_malloc(void* state, unsigned long long bytes) {
    const Heap* heap = static_cast<const Heap*>(state);
    // The state's bytes were 0.
    if (heap->pointers[0] == nullptr) {
        return nullptr;
    }
    return heapwood_cfmalloc_malloc(heap, bytes, alone());
}

extern "C" __device__ void heapwood_free(void* state, void* block) {
    heapwood_cfmalloc_free(static_cast<const Heap*>(state), block, alone());
}
