// Stacks of free blocks, one for each power of two: an allocator that frees, for tests of the GPU.
//
// A stack's word has the number of its first block, in units of 16 bytes, and a count of changes:
// a block that was taken and came back meanwhile is not taken for what it was.

typedef unsigned long long Word;

struct Stacks {
    char* pool;
    Word bytes;
    Word next;
    Word heads[27];
};

static_assert(sizeof(Stacks) <= 256, "the state has so many bytes");

extern "C" __device__ void heapwood_init(void* state, void* pool, Word bytes, unsigned thread,
                                         unsigned threads) {
    if (thread == 0) {
        Stacks* heap = static_cast<Stacks*>(state);
        heap->pool = static_cast<char*>(pool);
        heap->bytes = bytes;
    }
}

extern "C" __device__ void* heapwood_malloc(void* state, Word bytes) {
    Stacks* heap = static_cast<Stacks*>(state);
    if (bytes > (16ull << 26)) {
        return nullptr;
    }
    unsigned size = 0;
    while ((16ull << size) < bytes) {
        size++;
    }
    Word head = *static_cast<volatile Word*>(&heap->heads[size]);
    while (unsigned first = static_cast<unsigned>(head)) {
        char* block = heap->pool + first * 16ull;
        // Whatever is read of a block that somebody else takes: the exchange fails.
        unsigned second = *reinterpret_cast<volatile unsigned*>(block);
        Word changed = ((head >> 32) + 1) << 32 | second;
        Word held = atomicCAS(&heap->heads[size], head, changed);
        if (held == head) {
            __threadfence();
            return block;
        }
        head = held;
    }
    // In front of a block, 16 bytes for its size.
    Word whole = (16ull << size) + 16;
    if (*static_cast<volatile Word*>(&heap->next) + whole > heap->bytes) {
        return nullptr;
    }
    Word first = atomicAdd(&heap->next, whole);
    if (first + whole > heap->bytes) {
        return nullptr;
    }
    *reinterpret_cast<unsigned*>(heap->pool + first) = size;
    return heap->pool + first + 16;
}

extern "C" __device__ void heapwood_free(void* state, void* freed) {
    Stacks* heap = static_cast<Stacks*>(state);
    char* block = static_cast<char*>(freed);
    unsigned size = *reinterpret_cast<unsigned*>(block - 16);
    unsigned number = static_cast<unsigned>((block - heap->pool) / 16);
    Word head = *static_cast<volatile Word*>(&heap->heads[size]);
    while (true) {
        *reinterpret_cast<volatile unsigned*>(block) = static_cast<unsigned>(head);
        __threadfence();
        Word held = atomicCAS(&heap->heads[size], head, ((head >> 32) + 1) << 32 | number);
        if (held == head) {
            return;
        }
        head = held;
    }
}

extern "C" __device__ Word heapwood_granted(void* state, void* block) {
    return 16ull << *reinterpret_cast<unsigned*>(static_cast<char*>(block) - 16);
}
