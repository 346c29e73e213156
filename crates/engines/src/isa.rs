//! The two bit instructions that carry out moves inside, and the choice of a processor's
//! best instruction set at run time.
//!
//! The kernels are ordinary Rust over words. They are compiled once for each set below;
//! the compiler turns their loops into vector code.

use std::sync::OnceLock;

/// An instruction set of the processor, for which the inner loops are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// Any processor.
    Portable,
    /// 256-bit vectors, `pext` and `pdep`.
    Avx2,
    /// 512-bit vectors besides.
    Avx512,
}

impl Isa {
    /// The best instruction set of this machine. The environment variable `ZERMELO_ISA` set to `portable` or `avx2`
    /// asks for a lesser one.
    pub fn best() -> Isa {
        static BEST: OnceLock<Isa> = OnceLock::new();
        *BEST.get_or_init(|| {
            let asked = std::env::var("ZERMELO_ISA").unwrap_or_default();
            let allowed = |isa: &Isa| match asked.as_str() {
                "portable" => *isa == Isa::Portable,
                "avx2" => *isa != Isa::Avx512,
                _ => true,
            };
            let best = [Isa::Avx512, Isa::Avx2].into_iter().filter(allowed).find(|isa| isa.is_here());
            best.unwrap_or(Isa::Portable)
        })
    }

    /// Whether this machine has the instruction set.
    #[cfg(target_arch = "x86_64")]
    pub fn is_here(self) -> bool {
        let avx2 = || {
            is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt")
        };
        match self {
            Isa::Portable => true,
            Isa::Avx2 => avx2(),
            Isa::Avx512 => {
                avx2()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512vpopcntdq")
            }
        }
    }

    /// Whether this machine has the instruction set.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn is_here(self) -> bool {
        self == Isa::Portable
    }
}

/// Bit instructions.
pub(crate) trait Bits: Copy {
    /// The bits of a word at the places of a mask, moved to the low end.
    fn pext(self, word: u64, mask: u64) -> u64;
    /// The low bits of a word, moved to the places of a mask.
    fn pdep(self, word: u64, mask: u64) -> u64;
    /// The bits of a byte as eight bytes of 0 or 1.
    fn spread(self, byte: u8) -> u64;
}

/// The lowest bit of each byte.
const LOWEST: u64 = 0x0101_0101_0101_0101;

/// In plain Rust: the twin that the others are tested against.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

impl Bits for Plain {
    #[inline(always)]
    fn pext(self, word: u64, mask: u64) -> u64 {
        zermelo_core::rank::compress(word, mask)
    }

    #[inline(always)]
    fn pdep(self, word: u64, mask: u64) -> u64 {
        zermelo_core::rank::expand(word, mask)
    }

    #[inline(always)]
    fn spread(self, byte: u8) -> u64 {
        // Seven bits at a time by a product: each lands in the lowest bit of its own byte.
        let low = (u64::from(byte & 0x7f) * 0x0002_0408_1020_4081) & LOWEST;
        low | u64::from(byte >> 7) << 56
    }
}

/// Asks for an item of a list to be brought into the caches, if there is such an item.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn prefetch<T>(list: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = list.get(at) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let first = std::ptr::from_ref(item).cast::<i8>();
        let mut byte = 0;
        // One line of the cache after the other.
        while byte < size_of::<T>() {
            // SAFETY: every x86-64 processor has it, it changes nothing, and the address is one
            // of the item's.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(first.add(byte)) }
            byte += 64;
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (list, at);
}

/// With the processor's own instructions; made only where they are there.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct Bmi2(());

#[cfg(target_arch = "x86_64")]
impl Bits for Bmi2 {
    #[inline(always)]
    #[allow(unsafe_code)]
    fn pext(self, word: u64, mask: u64) -> u64 {
        // SAFETY: a value of this type is made in `dispatch` alone, after asking the processor.
        unsafe { std::arch::x86_64::_pext_u64(word, mask) }
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    fn pdep(self, word: u64, mask: u64) -> u64 {
        // SAFETY: a value of this type is made in `dispatch` alone, after asking the processor.
        unsafe { std::arch::x86_64::_pdep_u64(word, mask) }
    }

    #[inline(always)]
    fn spread(self, byte: u8) -> u64 {
        self.pdep(byte.into(), LOWEST)
    }
}

/// Work that is compiled for each instruction set.
pub(crate) trait Kernel {
    type Output;
    /// Must be `#[inline(always)]`, down to its loops.
    fn run<B: Bits>(self, bits: B) -> Self::Output;
}

/// Runs a kernel with an instruction set, or with the portable one where it is not there.
#[allow(unsafe_code)]
pub(crate) fn dispatch<K: Kernel>(isa: Isa, kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn avx2<K: Kernel>(kernel: K) -> K::Output {
            kernel.run(Bmi2(()))
        }

        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq")]
        fn avx512<K: Kernel>(kernel: K) -> K::Output {
            kernel.run(Bmi2(()))
        }

        match isa {
            // SAFETY: the processor was asked for every feature of the function.
            Isa::Avx512 if isa.is_here() => return unsafe { avx512(kernel) },
            // SAFETY: the processor was asked for every feature of the function.
            Isa::Avx2 if isa.is_here() => return unsafe { avx2(kernel) },
            _ => {}
        }
    }
    let _ = isa;
    kernel.run(Plain)
}
