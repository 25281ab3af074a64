//! Runs a kernel with the widest vector instructions of the processor it finds itself on.
#![allow(unsafe_code)]

use crate::lanes::{F64x8, InLanes, LANES, Pack};

/// A computation written once for any pack of eight lanes.
///
/// Mark `run`, and every function it calls with packs, `#[inline(always)]`: only code that ends up
/// inside the entry of its level is compiled with that level's instructions.
///
/// ```
/// use pliant_algebra::{dispatch::{Kernel, Level}, lanes::{F64x8, Pack}};
/// struct Logarithms<'a>(&'a mut [F64x8]);
/// impl Kernel for Logarithms<'_> {
///     type Output = ();
///     #[inline(always)]
///     fn run<P: Pack>(self) {
///         for pack in self.0 {
///             *pack = P::load(pack).ln().store();
///         }
///     }
/// }
/// let mut x = [F64x8([1.0; 8]); 2];
/// Level::best().run(Logarithms(&mut x));
/// assert_eq!(x[1].0[7], 0.0);
/// ```
pub trait Kernel {
    /// What the kernel returns.
    type Output;
    /// Does the work in packs of type `P`.
    fn run<P: Pack>(self) -> Self::Output;
}

/// Work on packs in memory that need not be done in packs: where the processor has no wide registers it
/// is done lane by lane, which is nearly as fast there and much less to compile.
///
/// Mark `at`, and every function it calls, `#[inline(always)]`, as for a [`Kernel`].
pub trait LaneWork {
    /// Does the work in all lanes at once, or in that one.
    fn at<R: InLanes>(&mut self, lane: usize);
}

struct Wide<W>(W);

impl<W: LaneWork> Kernel for Wide<W> {
    type Output = ();
    #[inline(always)]
    fn run<P: Pack>(mut self) {
        self.0.at::<P>(0);
    }
}

/// A set of vector instructions that this processor has: to hold one is the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Set {
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// What every processor of the architecture has (SSE2 on x86-64).
    pub fn baseline() -> Self {
        Self(Set::Baseline)
    }

    /// All levels of this processor, narrowest first.
    pub fn available() -> Vec<Self> {
        let sets = [
            Some(Set::Baseline),
            #[cfg(target_arch = "x86_64")]
            is_x86_feature_detected!("avx2").then_some(Set::Avx2),
            #[cfg(target_arch = "x86_64")]
            (is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl"))
            .then_some(Set::Avx512),
        ];
        sets.into_iter().flatten().map(Self).collect()
    }

    /// The widest level of this processor, found once.
    pub fn best() -> Self {
        static BEST: std::sync::OnceLock<Level> = std::sync::OnceLock::new();
        *BEST.get_or_init(|| Self::available().into_iter().max().unwrap_or(Self::baseline()))
    }

    /// "baseline", "avx2" or "avx512".
    pub fn name(self) -> &'static str {
        match self.0 {
            Set::Baseline => "baseline",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => "avx512",
        }
    }

    /// Does the work with the instructions of this level, with the same bits on all.
    pub fn work<W: LaneWork>(self, mut work: W) {
        match self.0 {
            Set::Baseline => {
                for lane in 0..LANES {
                    work.at::<f64>(lane);
                }
            }
            // SAFETY: `available` makes this variant only after detecting avx2.
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => unsafe { run_avx2(Wide(work)) },
            // SAFETY: `available` makes this variant only after detecting avx512f, dq and vl.
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => unsafe { run_avx512(Wide(work)) },
        }
    }

    /// Runs the kernel with the instructions of this level. The bits of the result do not depend on
    /// the level as long as the kernel treats lanes alike.
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Set::Baseline => kernel.run::<F64x8>(),
            // SAFETY: `available` makes this variant only after detecting avx2.
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => unsafe { run_avx2(kernel) },
            // SAFETY: `available` makes this variant only after detecting avx512f, dq and vl.
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => unsafe { run_avx512(kernel) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<crate::lanes::avx2::Pack>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<crate::lanes::avx512::Pack>()
}
