//! Matrices of blocks against dense ones.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern, PatternError, Product, Slot};
use pliant_algebra::vec3::Vec3;

fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut s = seed.wrapping_mul(2) + 1;
    move || {
        s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (s >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A matrix of n rows with about `each` random couplings a row; some rows have none.
fn matrix(n: usize, each: usize, symmetric: bool) -> BlockMatrix {
    let couplings = |couple: &mut dyn FnMut(u32, u32)| {
        let mut r = random(9);
        for i in 0..n {
            for _ in 0..each {
                let j = ((r() + 1.0) * 0.5 * n as f64) as usize % n;
                if i % 7 != 3 && j % 7 != 3 {
                    couple(i as u32, j as u32);
                    couple(i as u32, j as u32);
                }
            }
        }
    };
    let pattern = if symmetric {
        Pattern::symmetric(n, couplings)
    } else {
        Pattern::unsymmetric(n, couplings)
    };
    let mut matrix = BlockMatrix::zero(Arc::new(pattern.unwrap()));
    let mut r = random(4);
    for i in 0..n {
        for k in matrix.pattern().clone().range(i) {
            matrix.values[k] = std::array::from_fn(|_| r());
            if symmetric && matrix.pattern().columns()[k] as usize == i {
                let b = &mut matrix.values[k];
                (b[3], b[6], b[7]) = (b[1], b[2], b[5]);
            }
        }
    }
    matrix
}

fn dense_product(matrix: &BlockMatrix, x: &[Vec3]) -> Vec<f64> {
    let (dense, x) = (matrix.to_dense(), x.as_flattened());
    dense.chunks_exact(x.len()).map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
}

#[test]
fn products_are_those_of_the_dense_matrix() {
    for symmetric in [true, false] {
        for (n, each) in [(1, 0), (2, 1), (60, 4), (200, 9)] {
            let a = matrix(n, each, symmetric);
            let mut r = random(1);
            let x: Vec<Vec3> = (0..n).map(|_| [r(), r(), r()]).collect();
            let mut y = vec![[7.0; 3]; n];
            let mut product = Product::new(a.pattern());
            product.apply(&a.values, &x, &mut y);
            for (y, exact) in y.as_flattened().iter().zip(dense_product(&a, &x)) {
                assert!((y - exact).abs() < 1e-13);
            }
            // Several vectors at once give the bits of one after another.
            let many: Vec<[Vec3; 3]> =
                x.iter().map(|&v| [v, v.map(|c| 2.0 * c), v.map(|c| c * c)]).collect();
            let mut ys = vec![[[0.0; 3]; 3]; n];
            product.apply_many(&a.values, &many, &mut ys);
            for column in 0..3 {
                let x: Vec<Vec3> = many.iter().map(|m| m[column]).collect();
                product.apply(&a.values, &x, &mut y);
                assert!((0..n).all(|i| ys[i][column] == y[i]));
            }
        }
    }
}

#[test]
fn large_products_have_the_same_bits_on_any_number_of_threads() {
    for symmetric in [true, false] {
        // Enough blocks for several parts.
        let n = 9000;
        let a = matrix(n, 8, symmetric);
        assert!(a.pattern().blocks() > 3 * 16384);
        let mut r = random(1);
        let x: Vec<Vec3> = (0..n).map(|_| [r(), r(), r()]).collect();
        let mut first: Option<Vec<Vec3>> = None;
        for threads in [1, 2, 3, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut y = vec![[0.0; 3]; n];
            pool.install(|| Product::new(a.pattern()).apply(&a.values, &x, &mut y));
            assert_eq!(first.get_or_insert_with(|| y.clone()), &y);
        }
        let y = first.unwrap();
        for i in (0..n).step_by(97) {
            let exact = (0..n).fold([0.0; 3], |mut sum, j| {
                let b = a.block(i, j);
                for r in 0..3 {
                    sum[r] += (0..3).map(|c| b[3 * r + c] * x[j][c]).sum::<f64>();
                }
                sum
            });
            assert!((0..3).all(|k| (exact[k] - y[i][k]).abs() < 1e-12), "{i}");
        }
    }
}

#[test]
fn every_block_has_its_place() {
    let a = matrix(40, 5, true);
    let pattern = a.pattern();
    for i in 0..40 {
        assert_eq!(pattern.row(i)[0] as usize, i);
        assert!(pattern.row(i).is_sorted_by(|a, b| a < b));
        for k in pattern.range(i) {
            let j = pattern.columns()[k];
            let index = k as u32;
            assert_eq!(pattern.slot(i as u32, j), Some(Slot::Stored(index)));
            let mirror =
                if j as usize == i { Slot::Stored(index) } else { Slot::Transposed(index) };
            assert_eq!(pattern.slot(j, i as u32), Some(mirror));
            let (b, t) = (a.block(i, j as usize), a.block(j as usize, i));
            assert!((0..9).all(|e| b[e] == t[e % 3 * 3 + e / 3]));
        }
    }
    assert_eq!(pattern.slot(3, 4), None);
    assert_eq!(pattern.slot(0, 99), None);
    assert!(a.diagonal().enumerate().all(|(i, b)| *b == a.block(i, i)));
    let wrong = Pattern::symmetric(3, |couple| couple(1, 3));
    assert_eq!(wrong, Err(PatternError::Index { coupling: (1, 3), rows: 3 }));
}

#[test]
fn exports_hold_the_same_matrix() {
    for symmetric in [true, false] {
        let a = matrix(20, 3, symmetric);
        let (dense, n) = (a.to_dense(), 60);
        let csr = a.to_csr();
        let mut seen = vec![0.0; n * n];
        for i in 0..n {
            let range = csr.offsets[i]..csr.offsets[i + 1];
            assert!(csr.columns[range.clone()].is_sorted_by(|a, b| a < b));
            for k in range {
                seen[i * n + csr.columns[k] as usize] = csr.values[k];
            }
        }
        assert_eq!(seen, dense);

        let mut text = Vec::new();
        a.write_matrix_market(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let mut lines = text.lines();
        let kind = if symmetric { "symmetric" } else { "general" };
        assert_eq!(lines.next().unwrap(), format!("%%MatrixMarket matrix coordinate real {kind}"));
        let sizes: Vec<usize> =
            lines.next().unwrap().split(' ').map(|w| w.parse().unwrap()).collect();
        let mut seen = vec![0.0; n * n];
        let mut count = 0;
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            let (i, j) =
                (words[0].parse::<usize>().unwrap() - 1, words[1].parse::<usize>().unwrap() - 1);
            assert!(!symmetric || j <= i);
            seen[i * n + j] = words[2].parse().unwrap();
            if symmetric {
                seen[j * n + i] = seen[i * n + j];
            }
            count += 1;
        }
        assert_eq!(sizes, [n, n, count]);
        assert_eq!(seen, dense);
    }
}

#[test]
fn further_blocks_give_the_pattern_of_all_couplings() {
    for symmetric in [true, false] {
        let base = matrix(40, 5, symmetric);
        let base = base.pattern();
        let mut next = random(3);
        let mut extra = Vec::new();
        for _ in 0..60 {
            let pair = [next(), next()].map(|r| ((0.5 * r + 0.5) * 39.0) as u32);
            let (i, j) = if symmetric {
                (pair[0].min(pair[1]), pair[0].max(pair[1]))
            } else {
                (pair[0], pair[1])
            };
            if base.slot(i, j).is_none() {
                extra.push((i, j));
            }
        }
        extra.sort_unstable();
        extra.dedup();
        assert!(extra.len() > 20);
        let all = |couple: &mut dyn FnMut(u32, u32)| {
            (0..40).for_each(|i| base.row(i).iter().for_each(|&j| couple(i as u32, j)));
            for &(i, j) in &extra {
                couple(i, j);
            }
        };
        let expected =
            if symmetric { Pattern::symmetric(40, all) } else { Pattern::unsymmetric(40, all) };
        assert_eq!(base.with(&extra), expected);
        assert_eq!(base.with(&[]).as_ref(), Ok(&**base));
        assert!(matches!(base.with(&[(0, 40)]), Err(PatternError::Index { .. })));
    }
}

#[test]
fn rows_in_another_order_are_those_of_the_permuted_matrix() {
    for symmetric in [true, false] {
        let (blocks, n) = (5000, 15000);
        let a = matrix(blocks, 2, symmetric);
        let plain = a.to_csr();
        // 7 and 5000 have no common divisor.
        let order: Vec<u32> = (0..blocks as u32).map(|i| (7 * i + 3) % blocks as u32).collect();
        let csr = a.to_csr_in(&order);
        let to = |i: usize| 3 * order[i / 3] as usize + i % 3;
        assert_eq!(csr.entries(), plain.entries());
        assert_eq!(csr.rows(), n);
        for i in 0..n {
            let (columns, values) = plain.row(i);
            assert!(csr.row(to(i)).0.is_sorted_by(|a, b| a < b));
            for (&j, &value) in columns.iter().zip(values) {
                assert_eq!(csr.entry(to(i), to(j as usize)).to_bits(), value.to_bits());
                if symmetric {
                    assert_eq!(csr.entry(to(j as usize), to(i)).to_bits(), value.to_bits());
                }
            }
        }
        for threads in [1, 2, 3, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| a.to_csr_in(&order)), csr);
        }
    }
}

#[test]
fn zeros_are_dropped_and_nothing_else() {
    let mut a = matrix(20, 3, true);
    for (k, block) in a.values.iter_mut().enumerate() {
        block[k % 9] = 0.0;
    }
    let full = a.to_csr();
    let mut thin = full.clone();
    thin.drop_zeros();
    assert!(thin.entries() < full.entries());
    assert!(thin.values.iter().all(|v| *v != 0.0));
    for i in 0..60 {
        assert!((0..60).all(|j| thin.entry(i, j) == full.entry(i, j)));
    }
}
