// Ten million blocks of @title@: each is stamped throughout with its number, and all stamps are
// looked at before the blocks are freed. A block that overlaps another shows a wrong stamp, and
// memory that is lost makes a later round run out of it. In the end it measures what
// `heapwood bench threads` does.
//
//     example [ROUNDS [BLOCKS]]
//
// Blocks a round, 2^20 unless given. The pool has to hold those of one round: 80 MiB for 2^20.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "heapwood_@name@.cuh"

typedef heapwood_@name@_heap Heap;

static const unsigned THREADS = 256;

// What was counted on the device.
struct Counts {
    unsigned long long granted, refused, misaligned, overwritten;
    // The next block of a round in which threads take what is left.
    unsigned next;
};

#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t error = (call);                                                      \
        if (error != cudaSuccess) {                                                      \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));               \
            exit(2);                                                                     \
        }                                                                                \
    } while (0)

// Bytes of a block: 16 to 128, and of one in 8192 a run of 64 KiB.
__device__ unsigned bytes_of(unsigned block) {
    unsigned hash = block * 2654435761u;
    return block % 8192 == 8191 ? 65536 : 16 * (1 + (hash >> 29));
}

// Stamps a block, and keeps its address.
__device__ void keep(Counts* counts, unsigned** blocks, unsigned block, void* memory,
                     unsigned bytes) {
    unsigned* words = static_cast<unsigned*>(memory);
    blocks[block] = words;
    if (words == nullptr) {
        atomicAdd(&counts->refused, 1ull);
        return;
    }
    atomicAdd(&counts->granted, 1ull);
    if (reinterpret_cast<unsigned long long>(words) % 16 != 0) {
        atomicAdd(&counts->misaligned, 1ull);
    }
    for (unsigned word = 0; word < bytes / 4; ++word) {
        words[word] = block;
    }
}

// All lanes of a warp request together, the same size.
__global__ void alike(const Heap* heap, Counts* counts, unsigned** blocks, unsigned count) {
    unsigned block = blockIdx.x * blockDim.x + threadIdx.x;
    if (block < count) {
        unsigned bytes = bytes_of(block / 32 * 32);
        keep(counts, blocks, block, heapwood_@name@_malloc(heap, bytes), bytes);
    }
}

// All lanes of a warp request together, each a size of its own.
__global__ void mixed(const Heap* heap, Counts* counts, unsigned** blocks, unsigned count) {
    unsigned block = blockIdx.x * blockDim.x + threadIdx.x;
    if (block < count) {
        unsigned bytes = bytes_of(block);
        keep(counts, blocks, block, heapwood_@name@_malloc(heap, bytes), bytes);
    }
}

// Lanes request in different branches, in a loop that they leave one by one.
__global__ void divergent(const Heap* heap, Counts* counts, unsigned** blocks, unsigned count) {
    for (;;) {
        unsigned block = atomicAdd(&counts->next, 1u);
        if (block >= count) {
            return;
        }
        unsigned bytes = bytes_of(block);
        void* memory;
        if (block % 3 == 0) {
            memory = heapwood_@name@_malloc(heap, bytes);
        } else if (threadIdx.x % 2 == 0) {
            // One more, that does not live long.
            void* other = heapwood_@name@_malloc(heap, 48);
            memory = heapwood_@name@_malloc(heap, bytes);
            heapwood_@name@_free(heap, other);
        } else {
            memory = heapwood_@name@_malloc(heap, bytes);
        }
        keep(counts, blocks, block, memory, bytes);
    }
}

// Looks at the stamps of all blocks. In rounds of `alike` warps have one size.
__global__ void look(Counts* counts, unsigned** blocks, unsigned count, bool is_alike) {
    unsigned block = blockIdx.x * blockDim.x + threadIdx.x;
    if (block >= count || blocks[block] == nullptr) {
        return;
    }
    unsigned bytes = bytes_of(is_alike ? block / 32 * 32 : block);
    bool is_whole = true;
    for (unsigned word = 0; word < bytes / 4; ++word) {
        is_whole = is_whole && blocks[block][word] == block;
    }
    if (!is_whole) {
        atomicAdd(&counts->overwritten, 1ull);
    }
}

// Frees the blocks of other threads: all lanes together, or in branches.
__global__ void release(const Heap* heap, unsigned** blocks, unsigned count, bool together) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= count) {
        return;
    }
    unsigned* block = blocks[count - 1 - thread];
    if (together || thread % 3 == 0) {
        heapwood_@name@_free(heap, block);
    } else if (thread % 2 == 0) {
        heapwood_@name@_free(heap, block);
    } else {
        __nanosleep(100);
        heapwood_@name@_free(heap, block);
    }
}

// One block a thread, and nothing else: what `heapwood bench threads` measures.
__global__ void request(const Heap* heap, unsigned** blocks, unsigned count, unsigned bytes) {
    unsigned block = blockIdx.x * blockDim.x + threadIdx.x;
    if (block < count) {
        blocks[block] = static_cast<unsigned*>(heapwood_@name@_malloc(heap, bytes));
    }
}

// Gives the blocks of `request` back.
__global__ void give_back(const Heap* heap, unsigned** blocks, unsigned count) {
    unsigned block = blockIdx.x * blockDim.x + threadIdx.x;
    if (block < count) {
        heapwood_@name@_free(heap, blocks[block]);
    }
}

// Milliseconds between two events.
static float between(cudaEvent_t from, cudaEvent_t to) {
    float ms = 0;
    CHECK(cudaEventSynchronize(to));
    CHECK(cudaEventElapsedTime(&ms, from, to));
    return ms;
}

static float median(std::vector<float> times) {
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
}

// Times `request` and `give_back` over a warm heap, and says which registers they take.
static void measure(Heap* heap, unsigned** blocks, unsigned count, unsigned bytes,
                    const cudaEvent_t* events) {
    const int warm_up = 3, rounds = 25;
    unsigned grid = (count - 1) / THREADS + 1;
    std::vector<float> malloc_ms, free_ms;
    for (int round = 0; round < warm_up + rounds; ++round) {
        CHECK(cudaEventRecord(events[0]));
        request<<<grid, THREADS>>>(heap, blocks, count, bytes);
        CHECK(cudaEventRecord(events[1]));
        CHECK(cudaEventRecord(events[2]));
        give_back<<<grid, THREADS>>>(heap, blocks, count);
        CHECK(cudaEventRecord(events[3]));
        CHECK(cudaGetLastError());
        if (round >= warm_up) {
            malloc_ms.push_back(between(events[0], events[1]));
            free_ms.push_back(between(events[2], events[3]));
        }
    }
    cudaFuncAttributes malloc_needs, free_needs;
    CHECK(cudaFuncGetAttributes(&malloc_needs, request));
    CHECK(cudaFuncGetAttributes(&free_needs, give_back));
    printf("%u blocks of %u bytes: malloc %.4f ms, free %.4f ms (%d and %d registers)\n", count,
           bytes, median(malloc_ms), median(free_ms), malloc_needs.numRegs, free_needs.numRegs);
}

int main(int argc, char** argv) {
    unsigned rounds = argc > 1 ? strtoul(argv[1], nullptr, 10) : 10;
    unsigned count = argc > 2 ? strtoul(argv[2], nullptr, 10) : 1u << 20;
    if (count == 0) {
        fprintf(stderr, "example [ROUNDS [BLOCKS]]\n");
        return 2;
    }
    unsigned grid = (count - 1) / THREADS + 1;

    Heap* heap;
    Counts* counts;
    unsigned** blocks;
    CHECK(heapwood_@name@_create(&heap));
    CHECK(cudaMalloc(&counts, sizeof(Counts)));
    CHECK(cudaMalloc(&blocks, count * sizeof(unsigned*)));
    CHECK(cudaMemset(counts, 0, sizeof(Counts)));
    cudaEvent_t events[4];
    for (cudaEvent_t& event : events) {
        CHECK(cudaEventCreate(&event));
    }

    const char* names[3] = {"alike", "mixed", "divergent"};
    printf("round  requests   malloc ms  free ms\n");
    for (unsigned round = 0; round < rounds; ++round) {
        unsigned kind = round % 3;
        CHECK(cudaMemset(&counts->next, 0, sizeof(unsigned)));
        CHECK(cudaEventRecord(events[0]));
        if (kind == 0) {
            alike<<<grid, THREADS>>>(heap, counts, blocks, count);
        } else if (kind == 1) {
            mixed<<<grid, THREADS>>>(heap, counts, blocks, count);
        } else {
            divergent<<<(grid + 3) / 4, THREADS>>>(heap, counts, blocks, count);
        }
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(events[1]));
        look<<<grid, THREADS>>>(counts, blocks, count, kind == 0);
        CHECK(cudaEventRecord(events[2]));
        release<<<grid, THREADS>>>(heap, blocks, count, kind == 0);
        CHECK(cudaEventRecord(events[3]));
        CHECK(cudaGetLastError());
        float malloc_ms = between(events[0], events[1]);
        printf("%5u  %-9s %10.3f %8.3f\n", round, names[kind], malloc_ms,
               between(events[2], events[3]));
    }

    unsigned measured = count < 100000 ? count : 100000;
    measure(heap, blocks, measured, 16, events);
    measure(heap, blocks, measured, 1024, events);

    Counts found;
    CHECK(cudaMemcpy(&found, counts, sizeof(found), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(blocks));
    CHECK(cudaFree(counts));
    CHECK(cudaFree(heap));
    printf("%llu blocks granted, %llu refused, %llu misaligned, %llu overwritten\n",
           found.granted, found.refused, found.misaligned, found.overwritten);
    bool is_right = found.refused + found.misaligned + found.overwritten == 0 &&
                    found.granted == 1ull * rounds * count;
    printf(is_right ? "all is well\n" : "FAILED\n");
    return is_right ? 0 : 1;
}
