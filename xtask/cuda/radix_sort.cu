// The time of CUB's DeviceRadixSort for the keys of batches: both directions of random edges between
// 1,000,000 vertices, 40 bits. Prints JSON: the GPU, and for each number of keys the median, the least
// and the greatest of 25 times in milliseconds.
//
//     nvcc -O3 -std=c++17 -arch=native xtask/cuda/radix_sort.cu -o radix_sort && ./radix_sort
//
// Beside it stands the phase `sort` of `heapwood graph gen:uniform,vertices=1000000,edges=8000000
// --insert N`, which sorts 2 N keys.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include <cub/cub.cuh>

constexpr int kBits = 40;
constexpr int kTimes = 25;
constexpr uint32_t kVertices = 1000000;

static void check(cudaError_t error) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "radix_sort: %s\n", cudaGetErrorString(error));
        std::exit(1);
    }
}

static std::vector<uint64_t> keys_of(size_t count) {
    std::mt19937_64 random(count);
    std::uniform_int_distribution<uint64_t> vertex(0, kVertices - 1);
    std::vector<uint64_t> keys;
    for (size_t edge = 0; edge < count / 2; ++edge) {
        uint64_t source = vertex(random), target = vertex(random);
        keys.push_back(source << 20 | target);
        keys.push_back(target << 20 | source);
    }
    return keys;
}

int main() {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, 0));
    std::printf("{\"gpu\": \"%s\", \"bits\": %d, \"rows\": [", properties.name, kBits);
    const char *separator = "\n";
    for (size_t count : {20000, 200000, 2000000, 20000000}) {
        std::vector<uint64_t> keys = keys_of(count), sorted(count);
        uint64_t *input, *output;
        void *temporary;
        size_t bytes = 0;
        check(cudaMalloc(&input, 8 * count));
        check(cudaMalloc(&output, 8 * count));
        check(cudaMemcpy(input, keys.data(), 8 * count, cudaMemcpyHostToDevice));
        check(cub::DeviceRadixSort::SortKeys(nullptr, bytes, input, output, count, 0, kBits));
        check(cudaMalloc(&temporary, bytes));
        cudaEvent_t begin, end;
        check(cudaEventCreate(&begin));
        check(cudaEventCreate(&end));
        std::vector<float> times(kTimes);
        for (float &time : times) {
            check(cudaEventRecord(begin));
            check(cub::DeviceRadixSort::SortKeys(temporary, bytes, input, output, count, 0, kBits));
            check(cudaEventRecord(end));
            check(cudaEventSynchronize(end));
            check(cudaEventElapsedTime(&time, begin, end));
        }
        check(cudaMemcpy(sorted.data(), output, 8 * count, cudaMemcpyDeviceToHost));
        std::sort(keys.begin(), keys.end());
        if (sorted != keys) {
            std::fprintf(stderr, "radix_sort: %zu keys are not sorted\n", count);
            return 1;
        }
        std::sort(times.begin(), times.end());
        std::printf("%s  {\"keys\": %zu, \"median\": %.4f, \"min\": %.4f, \"max\": %.4f}", separator,
                    count, times[kTimes / 2], times.front(), times.back());
        separator = ",\n";
        check(cudaFree(input));
        check(cudaFree(output));
        check(cudaFree(temporary));
    }
    std::printf("\n]}\n");
    return 0;
}
