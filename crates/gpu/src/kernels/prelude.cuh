// What headers of games and kernels are written in: the part of C++ that the compiler of a GPU and that of a processor
// both take. On a processor a kernel is a loop over its threads, one after another.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

// Sixteen bytes that lie together.
struct Words {
    u32 word[4];
};

#ifdef __CUDACC__

#define DEV __device__ __forceinline__
#define TABLE __constant__ constexpr
#define UNROLL _Pragma("unroll")
#define UNROLL_BY_2 _Pragma("unroll 2")
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(256) name(const __grid_constant__ Args args)

DEV int count32(u32 word) { return __popc(word); }
DEV int count64(u64 word) { return __popcll(word); }
DEV int lowest32(u32 word) { return __ffs((int)word) - 1; }
DEV int lowest64(u64 word) { return __ffsll((long long)word) - 1; }
// Reads a word that no kernel writes.
template <class T> DEV T load(const T *at) { return __ldg(at); }
DEV Words words_at(const u16 *at) {
    const uint4 all = *(const uint4 *)at;
    return Words{{all.x, all.y, all.z, all.w}};
}
DEV u64 thread() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
DEV u64 threads() { return (u64)gridDim.x * blockDim.x; }
DEV void add(u64 *sum, u64 more) { atomicAdd(sum, more); }
DEV void raise(u64 *most, u64 value) {
    if (*(volatile u64 *)most < value) atomicMax(most, value);
}
DEV void lower(u64 *least, u64 value) {
    if (*(volatile u64 *)least > value) atomicMin(least, value);
}
// Writes `fresh` where `old` stands, and says whether it did.
DEV bool replace(u16 *at, u16 old, u16 fresh) { return atomicCAS(at, old, fresh) == old; }
// Sets bits that other threads may set others beside.
DEV void set_bits(u32 *at, u32 bits) { atomicOr(at, bits); }
// Takes the next place of a list for each thread that calls it together with others.
DEV u64 next_place(u64 *length) {
    const u32 together = __activemask();
    const int leader = __ffs((int)together) - 1;
    const u32 lane = threadIdx.x & 31;
    u64 first = 0;
    if (lane == (u32)leader) first = atomicAdd(length, (u64)__popc(together));
    first = __shfl_sync(together, first, leader);
    return first + __popc(together & ((1u << lane) - 1));
}
// Adds 1 at a place, once for all threads that name the same place at the same time.
DEV void count_at(u64 *counts, u32 place) {
    const u32 together = __activemask();
    const u32 same = __match_any_sync(together, place);
    if ((int)(threadIdx.x & 31) == __ffs((int)same) - 1) atomicAdd(counts + place, (u64)__popc(same));
}

#else

#define DEV static inline
#define TABLE static constexpr
#define UNROLL
#define UNROLL_BY_2
#define KERNEL(name)                                          \
    static void name##_thread(const Args &args);              \
    extern "C" void name(const Args *args, u64 threads_in_all); \
    extern "C" void name(const Args *args, u64 threads_in_all) { \
        for (u64 t = 0; t < threads_in_all; t++) {            \
            this_thread = t;                                  \
            all_threads = threads_in_all;                     \
            name##_thread(*args);                             \
        }                                                     \
    }                                                         \
    static void name##_thread(const Args &args)

static thread_local u64 this_thread, all_threads;
DEV int count32(u32 word) { return __builtin_popcount(word); }
DEV int count64(u64 word) { return __builtin_popcountll(word); }
DEV int lowest32(u32 word) { return __builtin_ffs((int)word) - 1; }
DEV int lowest64(u64 word) { return __builtin_ffsll((long long)word) - 1; }
template <class T> DEV T load(const T *at) { return *at; }
DEV Words words_at(const u16 *at) {
    Words words;
    __builtin_memcpy(&words, at, sizeof(words));
    return words;
}
DEV u64 thread() { return this_thread; }
DEV u64 threads() { return all_threads; }
DEV void add(u64 *sum, u64 more) { *sum += more; }
DEV void raise(u64 *most, u64 value) {
    if (*most < value) *most = value;
}
DEV void lower(u64 *least, u64 value) {
    if (*least > value) *least = value;
}
DEV bool replace(u16 *at, u16 old, u16 fresh) {
    if (*at != old) return false;
    *at = fresh;
    return true;
}
DEV void set_bits(u32 *at, u32 bits) { *at |= bits; }
DEV u64 next_place(u64 *length) { return (*length)++; }
DEV void count_at(u64 *counts, u32 place) { counts[place]++; }

#endif

// How a game stands for the player to move.
enum Outcome : u32 { GOES_ON, LOST, TIED, WON };
