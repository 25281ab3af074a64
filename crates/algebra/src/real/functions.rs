//! ln, exp, cbrt and integer powers from correctly rounded operations only, without branches.
//!
//! Polynomials are minimax fits (Remez exchange in 60 digits) of the functions named beside them.

use super::Real;

/// ln 2 to 32 bits, so that its product with an exponent is exact, and the rest.
const LN_2_HIGH: f64 = 0.6931471803691238;
const LN_2_LOW: f64 = 1.9082149292705877e-10;
/// 1.5 · 2^52: adding and subtracting it rounds to the nearest whole number.
const ROUND: f64 = 6755399441055744.0;
/// 2^54 lifts every subnormal number to a normal one.
const LIFT: f64 = 18014398509481984.0;

/// (m, k) with x = m 2^k, 1 ≤ |m| < 2, for finite x ≠ 0, subnormal x included.
#[inline(always)]
fn split<R: Real>(x: R) -> (R, R) {
    let subnormal = x.abs().less(R::splat(f64::MIN_POSITIVE));
    let (m, k) = R::select(subnormal, x * LIFT, x).split_exponent();
    (m, R::select(subnormal, k - 54.0, k))
}

/// ln x = k ln 2 + ln(1 + f) with √½ ≤ 1 + f < √2. With s = f / (2 + f) and z = s²,
/// ln(1 + f) = 2s + s z P(z) = f − (f²/2 − s (f²/2 + z P(z))), where the last form keeps the
/// leading term exact (the arrangement of fdlibm's `log`).
#[inline(always)]
pub(super) fn ln<R: Real>(x: R) -> R {
    let (m, k) = split(x);
    let upper = m.greater(R::splat(std::f64::consts::SQRT_2));
    let f = R::select(upper, m * 0.5, m) - 1.0;
    let k = R::select(upper, k + 1.0, k);

    let s = f / (f + 2.0);
    let z = s * s;
    let w = z * z;
    // (ln((1+s)/(1−s)) − 2s) / (s z) on |s| ≤ 3 − 2√2, error 3e-18 of ln.
    let p01 = z * 0.39999999999414904 + 0.6666666666666734;
    let p23 = z * 0.22222198577206678 + 0.2857142874234423;
    let p45 = z * 0.15314055244191022 + 0.18183564132002325;
    let p = p01 + w * (p23 + w * (p45 + w * 0.14795904847540758));
    let half_square = f * f * 0.5;
    let tail = s * (half_square + z * p) + k * LN_2_LOW;
    let y = k * LN_2_HIGH - ((half_square - tail) - f);

    // One test for the ordinary case keeps the special ones off the fast path.
    let infinity = R::splat(f64::INFINITY);
    let ordinary = x.greater(R::zero()) & x.less(infinity);
    let special = R::select(x.equals(infinity), x, R::splat(f64::NAN));
    let special = R::select(x.equals(R::zero()), -infinity, special);
    R::select(ordinary, y, special)
}

/// eˣ = 2^k e^r with r = x − k ln 2, |r| ≤ ½ ln 2, and e^r = 1 + (r + r² P(r)).
#[inline(always)]
pub(super) fn exp<R: Real>(x: R) -> R {
    let (low, high) = (-746.0, 710.0);
    let bounded = x.max(R::splat(low)).min(R::splat(high));
    let k = (bounded * std::f64::consts::LOG2_E + ROUND) - ROUND;
    // r_high is exact: k has at most 11 bits.
    let r_high = bounded - k * LN_2_HIGH;
    let r_low = k * LN_2_LOW;
    let r = r_high - r_low;
    let r_rest = (r_high - r) - r_low;
    let r2 = r * r;
    let r4 = r2 * r2;
    // (e^r − 1 − r) / r² on |r| ≤ ½ ln 2, error 5e-20.
    let p01 = r * 0.16666666666666685 + 0.5;
    let p23 = r * 0.008333333333316739 + 0.04166666666666673;
    let p45 = r * 0.00019841269897059557 + 0.0013888888888858501;
    let p67 = r * 2.7557234236136484e-06 + 2.480158737362107e-05;
    let p89 = r * 2.5112240078309447e-08 + 2.7557233463954637e-07;
    let p = (p01 + r2 * p23) + r4 * ((p45 + r2 * p67) + r4 * (p89 + r2 * 2.092691075015218e-09));
    let y = (r + (r_rest + r2 * p)) + 1.0;
    // Two factors, as 2^k alone leaves the normal range at both ends.
    let k_half = (k * 0.5 + ROUND) - ROUND;
    let y = y * R::power_of_two(k_half) * R::power_of_two(k - k_half);

    let y = R::select(x.less(R::splat(low)), R::zero(), y);
    let y = R::select(x.greater(R::splat(high)), R::splat(f64::INFINITY), y);
    R::select(x.equals(x), y, x)
}

/// ∛x = 2^q ∛a with 1 ≤ a < 8: a quartic guess (error 2e-3), one Halley step (5e-9), rounded to 26
/// bits so that its square is exact, and a second Halley step in the form t + t (a/t² − t) / (2t +
/// a/t²), whose correction is so small that its rounding does not matter.
#[inline(always)]
pub(super) fn cbrt<R: Real>(x: R) -> R {
    let (m, e) = split(x.abs());
    let q = ((e - 1.0) * (1.0 / 3.0) + ROUND) - ROUND; // floor(e / 3)
    let a = m * R::power_of_two(e - q * 3.0);
    let a2 = a * a;
    let t = (a * 0.44919491450417215 + 0.6272938423940055)
        + a2 * ((a * 0.00958388625284923 - 0.08377552270870238) - a2 * 0.0004321043697935297);
    let t3 = t * t * t;
    let t = t * ((t3 + (a + a)) / (t3 + t3 + a));
    let wide = t * 134217729.0; // 2^27 + 1 (Veltkamp's splitting)
    let t = wide - (wide - t);
    let ratio = a / (t * t);
    let t = t + t * ((ratio - t) / (t + t + ratio));
    let y = (t * R::power_of_two(q)).copysign(x);
    R::select(x.is_finite() & !x.equals(R::zero()), y, x)
}

/// xⁿ by repeated squaring. The exponent is the same in all lanes, so the branches are too.
#[inline(always)]
pub(super) fn powi<R: Real>(x: R, n: i32) -> R {
    let mut left = n.unsigned_abs();
    let mut power = x;
    let mut y = R::one();
    while left > 0 {
        if left & 1 == 1 {
            y *= power;
        }
        left >>= 1;
        if left > 0 {
            power *= power;
        }
    }
    if n < 0 { y.recip() } else { y }
}
