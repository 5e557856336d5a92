; A block's shared memory, 8 warps of 4 KiB: below the 48 KiB that every GPU grants without being
; asked. Rust has no address spaces; declared here, the compiler knows which pointers lead into it,
; and accesses through them are those of shared memory, not of an unknown space.

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@shared_memory = internal addrspace(3) global [32768 x i8] undef, align 16

define ptr @heapwood_shared_memory() alwaysinline nounwind willreturn memory(none) {
  ret ptr addrspacecast (ptr addrspace(3) @shared_memory to ptr)
}

; The memory that the warps of a block share where a kernel works in blocks: as many bytes as the
; launch asks for.

@block_memory = external addrspace(3) global [0 x i8], align 16

define ptr @heapwood_block_memory() alwaysinline nounwind willreturn memory(none) {
  ret ptr addrspacecast (ptr addrspace(3) @block_memory to ptr)
}
