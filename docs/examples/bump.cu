// BumpMalloc: an allocator of somebody else's for heapwood. One atomic addition a request;
// nothing is ever freed, so that it is measured as `external:free=no`.

struct Bump {
    char* pool;
    unsigned long long bytes;
    // Bytes granted so far. Requests that are refused move it as well.
    unsigned long long next;
};

// Called by all threads of one launch, before anything else; the state's bytes are 0.
extern "C" __device__ void heapwood_init(void* state, void* pool, unsigned long long bytes,
                                         unsigned thread, unsigned threads) {
    if (thread == 0) {
        *static_cast<Bump*>(state) = {static_cast<char*>(pool), bytes, 0};
    }
}

// A block of at least so many bytes, aligned to 16, or null.
extern "C" __device__ void* heapwood_malloc(void* state, unsigned long long bytes) {
    Bump* bump = static_cast<Bump*>(state);
    if (bytes > bump->bytes) {
        return nullptr;
    }
    unsigned long long whole = (bytes == 0 ? 16 : bytes + 15) & ~15ull;
    unsigned long long first = atomicAdd(&bump->next, whole);
    return first + whole <= bump->bytes ? bump->pool + first : nullptr;
}
