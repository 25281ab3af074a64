//! Arithmetic of single 3×3 blocks, column after column, and of triangular ones.

use pliant_algebra::sparse::Block;

/// L⁻¹ of A = L Lᵀ for a symmetric block, of which the lower triangle is read (00, 10, 11, 20, 21,
/// 22); the axis and the pivot where it is not positive.
#[inline]
pub(crate) fn inverse_cholesky(a: &[f64; 6]) -> Result<[f64; 6], (usize, f64)> {
    let positive = |axis, pivot: f64| {
        if pivot > 0.0 && pivot.is_finite() { Ok(pivot.sqrt()) } else { Err((axis, pivot)) }
    };
    let l00 = positive(0, a[0])?;
    let (l10, l20) = (a[1] / l00, a[3] / l00);
    let l11 = positive(1, a[2] - l10 * l10)?;
    let l21 = (a[4] - l20 * l10) / l11;
    let l22 = positive(2, a[5] - l20 * l20 - l21 * l21)?;
    let (d0, d1, d2) = (1.0 / l00, 1.0 / l11, 1.0 / l22);
    let d10 = -d1 * l10 * d0;
    let d21 = -d2 * l21 * d1;
    Ok([d0, d10, d1, -d2 * (l20 * d0 + l21 * d10), d21, d2])
}

/// The lower triangle of a block.
#[inline]
pub(crate) fn lower(b: &Block) -> [f64; 6] {
    [b[0], b[3], b[4], b[6], b[7], b[8]]
}

/// B D⁻ᵀ for a block B, column after column, and D⁻¹ as [`inverse_cholesky`] gives it.
#[inline]
pub(crate) fn times_inverse_transposed(b: &[f64; 9], d: &[f64; 6]) -> [f64; 9] {
    let mut out = [0.0; 9];
    for r in 0..3 {
        out[r] = b[r] * d[0];
        out[3 + r] = b[r] * d[1] + b[3 + r] * d[2];
        out[6 + r] = b[r] * d[3] + b[3 + r] * d[4] + b[6 + r] * d[5];
    }
    out
}

/// B D⁻¹ for a block B, column after column.
#[inline]
pub(crate) fn times_inverse(b: &[f64; 9], d: &[f64; 6]) -> [f64; 9] {
    let mut out = [0.0; 9];
    for r in 0..3 {
        out[r] = b[r] * d[0] + b[3 + r] * d[1] + b[6 + r] * d[3];
        out[3 + r] = b[3 + r] * d[2] + b[6 + r] * d[4];
        out[6 + r] = b[6 + r] * d[5];
    }
    out
}

/// B Dᵀ for a block B, column after column, and a triangle D in the same order.
#[inline]
pub(crate) fn times_transposed(b: &[f64; 9], d: &[f64; 6]) -> [f64; 9] {
    // The product with a transposed triangle is the same, whatever the triangle is the inverse of.
    times_inverse_transposed(b, d)
}

/// D of its inverse.
#[inline]
pub(crate) fn triangle_of_inverse(d: &[f64; 6]) -> [f64; 6] {
    let (l0, l1, l2) = (1.0 / d[0], 1.0 / d[2], 1.0 / d[5]);
    let l10 = -l1 * d[1] * l0;
    let l21 = -l2 * d[4] * l1;
    [l0, l10, l1, -l2 * (d[3] * l0 + d[4] * l10), l21, l2]
}

/// D⁻ᵀ D⁻¹, which is symmetric.
#[inline]
pub(crate) fn inverse_product(d: &[f64; 6]) -> [f64; 9] {
    let xx = d[0] * d[0] + d[1] * d[1] + d[3] * d[3];
    let xy = d[1] * d[2] + d[3] * d[4];
    let xz = d[3] * d[5];
    let yy = d[2] * d[2] + d[4] * d[4];
    let yz = d[4] * d[5];
    [xx, xy, xz, xy, yy, yz, xz, yz, d[5] * d[5]]
}

/// B ← B − P Qᵀ, all column after column.
#[inline]
pub(crate) fn subtract_product(b: &mut [f64; 9], p: &[f64; 9], q: &[f64; 9]) {
    for c in 0..3 {
        for r in 0..3 {
            b[3 * c + r] -= p[r] * q[c] + p[3 + r] * q[3 + c] + p[6 + r] * q[6 + c];
        }
    }
}

/// The lower triangle of A − P Pᵀ, P column after column.
#[inline]
pub(crate) fn subtract_square(a: &mut [f64; 6], p: &[f64; 9]) {
    let product = |r: usize, c: usize| p[r] * p[c] + p[3 + r] * p[3 + c] + p[6 + r] * p[6 + c];
    a[0] -= product(0, 0);
    a[1] -= product(1, 0);
    a[2] -= product(1, 1);
    a[3] -= product(2, 0);
    a[4] -= product(2, 1);
    a[5] -= product(2, 2);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_of_the_cholesky_factor_of_a_block_is_its_inverse() {
        let a: [f64; 6] = [4.0, 1.0, 3.0, -0.5, 0.7, 2.0];
        let d = inverse_cholesky(&a).unwrap();
        // L⁻¹ A L⁻ᵀ = I, by columns of A.
        let full = [a[0], a[1], a[3], a[1], a[2], a[4], a[3], a[4], a[5]];
        let half = times_inverse_transposed(&full, &d);
        let turned: [f64; 9] = std::array::from_fn(|k| half[3 * (k % 3) + k / 3]);
        let one = times_inverse_transposed(&turned, &d);
        // A⁻¹ A = I and L L⁻¹ = I.
        let inverse = inverse_product(&d);
        let l = triangle_of_inverse(&d);
        let whole = times_transposed(&[l[0], l[1], l[3], 0.0, l[2], l[4], 0.0, 0.0, l[5]], &l);
        for k in 0..9 {
            let (r, c) = (k % 3, k / 3);
            let product: f64 = (0..3).map(|m| inverse[3 * m + r] * full[3 * c + m]).sum();
            assert!((product - if r == c { 1.0 } else { 0.0 }).abs() < 1e-15);
            assert!((whole[k] - full[k]).abs() < 1e-15);
            assert!((one[k] - if k % 4 == 0 { 1.0 } else { 0.0 }).abs() < 1e-15, "{one:?}");
        }
        assert_eq!(inverse_cholesky(&[1.0, 2.0, 1.0, 0.0, 0.0, 1.0]), Err((1, -3.0)));
    }
}
