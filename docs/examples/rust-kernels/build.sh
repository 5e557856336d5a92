#!/bin/sh
# Compiles the kernels to target/own-kernels/kernels.ptx, by the tools that `cargo xtask
# device-toolchain` installs on Debian.
set -e
cd "$(dirname "$0")"
llvm=/usr/lib/llvm-22/bin
root=$(cd ../../.. && pwd)
work=$root/target/own-kernels
kernels=init,request

rm -rf "$work"
RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 \
    RUSTFLAGS="-Ctarget-cpu=sm_70 -Ctarget-feature=+ptx70 -Cpanic=abort -Ccodegen-units=1" \
    /usr/bin/cargo build --quiet --release --target nvptx64-nvidia-cuda -Zbuild-std=core \
    --target-dir "$work"

for library in "$work"/nvptx64-nvidia-cuda/release/deps/*.rlib; do
    folder=$work/objects/$(basename "$library" .rlib)
    mkdir -p "$folder"
    (cd "$folder" && $llvm/llvm-ar x "$library")
done
# The first file is taken whole, of the others what it needs.
$llvm/llvm-link --only-needed "$work"/objects/libown_kernels-*/*.o \
    $(find "$work/objects" -name '*.o' -not -path '*/libown_kernels-*') \
    "$root/device/cuda_std/src/shared.ll" -o "$work/linked.bc"
$llvm/opt --internalize-public-api-list=$kernels \
    '-passes=internalize,globaldce,default<O3>,globaldce' "$work/linked.bc" -o "$work/kernels.bc"
$llvm/llc -O3 -mtriple=nvptx64-nvidia-cuda -mcpu=sm_70 -mattr=+ptx70 "$work/kernels.bc" \
    -o "$work/kernels.ptx"
