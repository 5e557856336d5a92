#!/bin/sh
# Runs what a GPU machine can show of heapwood, each step under a time limit,
# and prints a summary. Needs the NVIDIA driver and coreutils, no Rust.
#
#   ./run.sh              all steps
#   ./run.sh STEP...      some of them
#   RESULTS=DIR ./run.sh  where logs and results go (default: ./results)
#   HEAPWOOD_SCENES=A.obj:B.obj.gz ./run.sh gpu_rays
#                         rays through the trees of these scenes
set -u
cd "$(dirname "$0")" || exit 1
results=${RESULTS:-results}
mkdir -p "$results" || exit 1
summary=$results/summary.txt
: >"$summary"
failed=0
wanted=" $* "
# The program that the tests of the command line run.
HEAPWOOD_BINARY=$PWD/heapwood
export HEAPWOOD_BINARY

# step NAME SECONDS COMMAND...
step() {
    name=$1
    limit=$2
    shift 2
    case $wanted in
    "  " | *" $name "*) ;;
    *) return ;;
    esac
    begun=$(date +%s)
    timeout "$limit" "$@" >"$results/$name.log" 2>&1
    code=$?
    seconds=$(($(date +%s) - begun))
    case $code in
    0) verdict=ok ;;
    124) verdict=TIMEOUT ;;
    *) verdict="FAILED ($code)" ;;
    esac
    [ "$code" -eq 0 ] || failed=1
    # A test that was skipped has shown nothing.
    skipped=$(grep -o -m 1 'skipped: .*' "$results/$name.log" | head -n 1 | cut -c 1-90)
    [ -z "$skipped" ] || verdict="$verdict, $skipped"
    printf '%-28s %5d s  %s\n' "$name" "$seconds" "$verdict" | tee -a "$summary"
}

step devices 30 ./heapwood devices
for test in tests/*; do
    step "$(basename "$test")" 570 "$test" --test-threads=1 --nocapture
done
step allocators 60 ./heapwood allocators --backend cuda --format json
for scene in scenes/*.obj*; do
    name=$(basename "$scene" .gz)
    name=${name%.obj}
    step "kdtree-$name" 60 ./heapwood kdtree "$scene" --backend cuda --verify \
        --format json --output "$results/$name.json" --render "$results/$name.png"
done
for workload in threads mixed alloc-dealloc alloc-cycle-dealloc scaling; do
    step "bench-$workload" 570 ./heapwood bench "$workload" --backend cuda \
        --format json --output "$results/bench-$workload.json"
done
step bench-full 570 ./heapwood bench threads --backend cuda --heap full --threads 32 \
    --bytes 4096,65536 --format json --output "$results/bench-full.json"
# graph NAME KIND OPTION...: what is computed on a generated graph, and updates of it.
graph() {
    graph=$results/$1.el
    result=$results/graph-$1
    title=graph-$1
    shift
    compare="./heapwood compare graph $graph --undirected --layouts contiguous,linked \
        --backend cuda --format json"
    sizes=10000,100000,1000000,10000000
    step "$title" 570 sh -c "./heapwood generate graph $* -o $graph &&
        $compare --pagerank --top 0 --triangles --runs 5 --output $result-loaded.json &&
        $compare --insert $sizes --delete $sizes --pattern uniform,pressure \
            --output $result-updated.json"
    rm -f "$graph"
}
graph delaunay_n20 delaunay --vertices 2^20
graph rgg_n_2_20 geometric --vertices 2^20
graph road_2_23 road --vertices 2^23
graph mesh_3.5M mesh --vertices 3500000
graph kron_2_20 kronecker --vertices 2^20
graph uniform_1M uniform --vertices 1000000 --edges 4000000
if command -v compute-sanitizer >/dev/null; then
    # All allocators in one run would take longer than a step may.
    allocators=$(./heapwood allocators --backend cpu --format json |
        sed -n 's/^    "name": "\(.*\)",$/\1/p')
    for tool in memcheck initcheck racecheck; do
        sanitizer="compute-sanitizer --tool $tool --error-exitcode 9"
        for allocator in $allocators; do
            step "$tool-$allocator" 300 env HEAPWOOD_TEST_SCALE=small \
                HEAPWOOD_TEST_ALLOCATORS="$allocator" \
                $sanitizer tests/gpu_conformance --test-threads=1 on_the_gpu
        done
        step "$tool-kdtree" 300 $sanitizer ./heapwood kdtree scenes/knot.obj --backend cuda \
            --size 64x64 --render "$results/$tool.png"
        # One that never frees, a circular one, one with queues.
        step "$tool-graph" 570 env HEAPWOOD_TEST_SCALE=small \
            HEAPWOOD_TEST_ALLOCATORS=atomicmalloc,cfmmalloc,ouroboros-c-vl \
            $sanitizer tests/gpu_graph --test-threads=1 on_the_gpu
    done
fi

echo "summary: $summary"
exit "$failed"
