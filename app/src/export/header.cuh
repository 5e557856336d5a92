// @title@ of heapwood, for kernels in CUDA C++. Written by `heapwood export @argument@`;
// README.md says how to link it.
//
// A heap is one piece of device memory: what is below, in 256 bytes, and behind it the pool.

#pragma once

#include <cuda_runtime.h>

// Bytes of the pool, for which the numbers in heapwood_@name@_setup are right.
#define HEAPWOOD_@NAME@_POOL_BYTES @pool_bytes@ull
// Bytes of the largest block that an empty heap can grant.
#define HEAPWOOD_@NAME@_MOST_BYTES @most_bytes@ull
// Bytes in front of the pool, which has to be aligned to as many.
#define HEAPWOOD_@NAME@_HEAD_BYTES 256ull

// Where the memory lies and how it is divided.
struct heapwood_@name@_heap {
    void* pointers[4];
    unsigned long long integers[7];
};

// The functions of heapwood_@name@.ptx. `mask` has the lanes of the warp that make the call
// together, each with the same mask: as __activemask() returns it, read in the kernel itself.
extern "C" __device__ void heapwood_@name@_init(const heapwood_@name@_heap* heap);
extern "C" __device__ void* heapwood_@name@_malloc(const heapwood_@name@_heap* heap,
                                                   unsigned long long bytes, unsigned mask);
extern "C" __device__ void heapwood_@name@_free(const heapwood_@name@_heap* heap, void* block,
                                                unsigned mask);

// A block of at least so many bytes, aligned to 16, or null. Any threads may call it at a time.
// It reads the active mask, so it has to be inlined up to the kernel: not to be called in a
// __noinline__ function, nor through a pointer.
__device__ __forceinline__ void* heapwood_@name@_malloc(const heapwood_@name@_heap* heap,
                                                        unsigned long long bytes) {
    return heapwood_@name@_malloc(heap, bytes, __activemask());
}

// Gives a block back, which may be null; by any thread, and inlined as heapwood_@name@_malloc.
__device__ __forceinline__ void heapwood_@name@_free(const heapwood_@name@_heap* heap,
                                                     void* block) {
    if (block != nullptr) {
        heapwood_@name@_free(heap, block, __activemask());
    }
}

// Fills in the heap for a pool at `base` of device memory, aligned to 256.
__host__ __device__ inline void heapwood_@name@_setup(heapwood_@name@_heap* heap, void* base) {
    char* pool = static_cast<char*>(base);
@setup@}

// Makes the heap empty: all threads of one launch, of one dimension and blocks of whole warps.
static __global__ void heapwood_@name@_init_kernel(const heapwood_@name@_heap* heap) {
    heapwood_@name@_init(heap);
}

// Makes a heap empty, whatever it holds. In the order of the stream, in which nothing else may
// use the heap meanwhile.
inline cudaError_t heapwood_@name@_reset(heapwood_@name@_heap* heap, cudaStream_t stream = 0) {
    heapwood_@name@_init_kernel<<<1024, 256, 0, stream>>>(heap);
    return cudaGetLastError();
}

// A heap with a pool of its own, ready for use once the stream has come so far. The address is
// one of device memory: kernels take it, and cudaFree ends it.
inline cudaError_t heapwood_@name@_create(heapwood_@name@_heap** heap, cudaStream_t stream = 0) {
    void* memory = nullptr;
    cudaError_t error =
        cudaMalloc(&memory, HEAPWOOD_@NAME@_HEAD_BYTES + HEAPWOOD_@NAME@_POOL_BYTES);
    if (error != cudaSuccess) {
        return error;
    }
    heapwood_@name@_heap divided;
    heapwood_@name@_setup(&divided, static_cast<char*>(memory) + HEAPWOOD_@NAME@_HEAD_BYTES);
    *heap = static_cast<heapwood_@name@_heap*>(memory);
    error = cudaMemcpyAsync(memory, &divided, sizeof(divided), cudaMemcpyHostToDevice, stream);
    if (error == cudaSuccess) {
        error = heapwood_@name@_reset(*heap, stream);
    }
    if (error != cudaSuccess) {
        cudaFree(memory);
    }
    return error;
}
