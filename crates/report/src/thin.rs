//! Long curves made short, their extremes kept.

/// At most about `2 * buckets` of the points, in their order: of each of so many equal parts the lowest and
/// the highest, besides the first and the last of all. A peak of one step among a hundred thousand stays
/// where it is and as high as it is. Points that are not finite are left out.
pub fn thin(points: &[[f64; 2]], buckets: usize) -> Vec<[f64; 2]> {
    let finite = |p: &&[f64; 2]| p.iter().all(|c| c.is_finite());
    let points: Vec<[f64; 2]> = points.iter().filter(finite).copied().collect();
    if points.len() <= 2 * buckets.max(1) + 2 {
        return points;
    }
    let inner = &points[1..points.len() - 1];
    let size = inner.len().div_ceil(buckets.max(1));
    let mut kept = vec![points[0]];
    for part in inner.chunks(size) {
        let of = |better: fn(f64, f64) -> bool| {
            (1..part.len()).fold(0, |k, i| if better(part[i][1], part[k][1]) { i } else { k })
        };
        let (low, high) = (of(|a, b| a < b), of(|a, b| a > b));
        kept.push(part[low.min(high)]);
        if low != high {
            kept.push(part[low.max(high)]);
        }
    }
    kept.push(points[points.len() - 1]);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_peak_survives() {
        let value = |i: usize| if i == 61_803 { 7.0 } else { (i as f64 * 0.01).sin() };
        let all: Vec<[f64; 2]> = (0..100_000).map(|i| [i as f64, value(i)]).collect();
        let thinned = thin(&all, 240);
        assert!(thinned.len() <= 482, "{}", thinned.len());
        assert!(thinned.contains(&[61_803.0, 7.0]));
        assert_eq!((thinned[0], thinned[thinned.len() - 1]), (all[0], all[99_999]));
        assert!(thinned.windows(2).all(|w| w[0][0] < w[1][0]));
    }

    #[test]
    fn short_curves_stay_as_they_are_but_for_what_is_not_finite() {
        let all = [[0.0, 1.0], [1.0, f64::NAN], [2.0, 3.0]];
        assert_eq!(thin(&all, 240), [[0.0, 1.0], [2.0, 3.0]]);
        assert_eq!(thin(&[], 240), [[0.0; 2]; 0]);
    }
}
