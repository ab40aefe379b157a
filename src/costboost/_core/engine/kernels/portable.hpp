// Whatever differs between compilers, C libraries and processors. All other files of the kernels are plain C++17.
//
// `make portability` compiles the kernels for other systems.
#pragma once

#include <cfloat>
#include <cstdint>

// ---- arithmetic ------------------------------------------------------------------------------------------------
//
// Results have the same bits everywhere: operations are rounded one by one, to the type of their operands, in the order in which
// they are written. meson.build passes options to that effect; these lines are for compilers that it does not know.

#if defined(__FAST_MATH__) || defined(_M_FP_FAST)
#error "the kernels must not be compiled with -ffast-math or /fp:fast: results would depend on the compiler"
#endif
static_assert(FLT_EVAL_METHOD == 0, "doubles must be rounded to 64 bits after every operation; on 32-bit x86 with -msse2 -mfpmath=sse");
static_assert(sizeof(double) == 8 && DBL_MANT_DIG == 53 && DBL_MAX_EXP == 1024, "double must be the binary64 of IEEE 754");

#if defined(_MSC_VER) && !defined(__clang__)
#pragma fp_contract(off)
#elif defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

#if defined(__BYTE_ORDER__)  // compilers that do not define it have little-endian targets only
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bins are read eight at a time, the first from the lowest byte");
#endif

// ---- instruction sets ------------------------------------------------------------------------------------------

// Compiled once for each instruction set and chosen when the library is loaded, which other C libraries than glibc cannot
// do (musl has no ifunc). __GLIBC__ is defined by the headers above. Sanitizers are not ready when the choice is made.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(COSTBOOST_NO_DISPATCH)
#define COSTBOOST_DISPATCH
#elif !(defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__) && defined(__GLIBC__))
#define COSTBOOST_DISPATCH
#elif __GNUC__ >= 12
#define COSTBOOST_DISPATCH __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define COSTBOOST_DISPATCH __attribute__((target_clones("avx512f", "avx2", "default")))
#endif

// Inlined into its caller, and so compiled for the same instruction set.
#if defined(__GNUC__)
#define COSTBOOST_INLINE inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define COSTBOOST_INLINE __forceinline
#else
#define COSTBOOST_INLINE inline
#endif

// ---- names that headers of Windows define as macros -------------------------------------------------------------

#if defined(_WIN32)
#undef min
#undef max
#undef near
#undef far
#undef small
#endif

namespace costboost {

// Asks for the memory at an address, so that it is in the cache when it is read.
inline void prefetch(const void* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

// Two numbers, in one register where the compiler has such: both are loaded, added and stored at once.
struct PairOfNumbers {
#if defined(__GNUC__)
    typedef int64_t Register __attribute__((vector_size(16), aligned(8)));
    Register both;
    PairOfNumbers& operator+=(const PairOfNumbers& other) {
        both += other.both;
        return *this;
    }
#else
    int64_t both[2];
    PairOfNumbers& operator+=(const PairOfNumbers& other) {
        both[0] += other.both[0];
        both[1] += other.both[1];
        return *this;
    }
#endif
    friend PairOfNumbers operator+(PairOfNumbers a, const PairOfNumbers& b) { return a += b; }
};

}  // namespace costboost
