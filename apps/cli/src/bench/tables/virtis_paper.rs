//! The numbers of Hauth, Visual Simulation of Deformable Models (2004), tables 3.3, 3.4 and 3.5. Columns are
//! the sphere, the liver and the cube.

/// A row of table 3.3.
pub(super) struct Direct {
    pub(super) method: &'static str,
    /// 10⁶ floating-point operations.
    pub(super) megaflops: [f64; 3],
    /// Entries of L + U.
    pub(super) nonzeros: [u64; 3],
}

/// A row of table 3.4.
pub(super) struct Preconditioned {
    pub(super) method: &'static str,
    /// To a relative residual of 10⁻⁶.
    pub(super) iterations: [u32; 3],
    /// 10⁶ floating-point operations: set-up and iterations.
    pub(super) megaflops: [[f64; 2]; 3],
}

/// A row of table 3.5.
pub(super) struct Timed {
    pub(super) method: &'static str,
    /// Milliseconds: set-up and one solve.
    pub(super) ms: [[f64; 2]; 3],
    /// To relative residuals of 10⁻⁴, 10⁻⁵, 10⁻⁶ and 10⁻⁷.
    pub(super) iterations: Option<[[u32; 4]; 3]>,
}

pub(super) const UNKNOWNS: [usize; 3] = [210, 2217, 14739];
pub(super) const CELLS: [usize; 3] = [175, 2616, 24576];
/// Entries of the matrices.
pub(super) const NONZEROS: [u64; 3] = [6102, 41001, 566643];

#[rustfmt::skip]
pub(super) const TABLE_3_3: [Direct; 5] = [
    Direct { method: "direct lu", megaflops: [4.15, 643.0, 199_994.0], nonzeros: [37_758, 407_934, 57_015_396] },
    Direct { method: "lu/SYMMMD", megaflops: [0.63, 53.0, 10_978.0], nonzeros: [14_892, 211_320, 12_599_580] },
    Direct { method: "chol/SYMAMD", megaflops: [0.27, 7.0, 5_096.0], nonzeros: [13_962, 170_304, 11_910_726] },
    Direct { method: "lu/best P", megaflops: [0.54, 30.0, 10_192.0], nonzeros: [13_962, 168_048, 11_910_726] },
    Direct { method: "UMFPACK", megaflops: [0.56, 15.0, 14_366.0], nonzeros: [17_804, 182_718, 13_759_224] },
];

#[rustfmt::skip]
pub(super) const TABLE_3_4: [Preconditioned; 6] = [
    Preconditioned { method: "diag", iterations: [75, 42, 90], megaflops: [[0.0, 2.14], [0.0, 14.80], [0.0, 243.4]] },
    Preconditioned { method: "blockDiag", iterations: [72, 39, 81], megaflops: [[0.002, 2.16], [0.01, 14.20], [0.1, 227.2]] },
    Preconditioned { method: "chol(0)", iterations: [27, 14, 27], megaflops: [[0.071, 1.11], [0.91, 6.22], [8.5, 104.9]] },
    Preconditioned { method: "chol(1e-2)", iterations: [22, 7, 14], megaflops: [[0.684, 0.91], [6.67, 3.25], [499.2, 58.6]] },
    Preconditioned { method: "ssor", iterations: [37, 17, 33], megaflops: [[0.006, 1.52], [0.04, 8.12], [0.5, 129.1]] },
    Preconditioned { method: "cgeis", iterations: [38, 23, 51], megaflops: [[0.0, 0.71], [0.0, 3.74], [0.0, 81.4]] },
];

#[rustfmt::skip]
pub(super) const TABLE_3_5: [Timed; 5] = [
    Timed { method: "UMFPACK", ms: [[6.76, 0.58], [114.0, 11.0], [17_807.0, 370.0]], iterations: None },
    Timed { method: "SuperLU", ms: [[6.12, 0.37], [199.0, 8.0], [54_125.0, 307.0]], iterations: None },
    Timed { method: "SuperLU_MT", ms: [[4.37, 0.24], [110.0, 7.0], [24_805.0, 280.0]], iterations: None },
    Timed {
        method: "cg/blockDiag",
        ms: [[0.01, 2.19], [0.1, 16.0], [2.0, 339.0]],
        iterations: Some([[54, 67, 80, 84], [28, 34, 39, 45], [56, 68, 80, 92]]),
    },
    Timed {
        method: "cgeis",
        ms: [[0.01, 0.98], [0.2, 11.0], [2.0, 225.0]],
        iterations: Some([[20, 29, 32, 37], [13, 16, 19, 21], [29, 33, 38, 43]]),
    },
];
