//! Orderings: permutations, the same on every run, better than none, and errors for what they lack.

use crate::direct_common;

use direct_common::{hexahedra, tetrahedra};
use pliant_algebra::sparse::Pattern;
use pliant_solvers::direct::factor_pattern;
use pliant_solvers::ordering::{OrderingName, order};
use pliant_solvers::{Layout, SolverError};

fn is_permutation(order: &[u32], n: usize) -> bool {
    let mut seen = vec![false; n];
    order.len() == n && order.iter().all(|&v| !std::mem::replace(&mut seen[v as usize], true))
}

#[test]
fn every_order_is_a_permutation_and_the_same_on_every_run() {
    for system in [
        tetrahedra([6, 4, 3], 0.1, 0.2, 1),
        tetrahedra([1, 1, 1], 0.1, 0.0, 1),
        hexahedra([1, 1, 1]),
        hexahedra([12, 2, 2]),
        hexahedra([4, 5, 6]),
    ] {
        for name in OrderingName::ALL {
            let first = order(name, &system.pattern, &system.layout()).unwrap();
            assert!(is_permutation(&first, system.positions.len()), "{name}");
            assert_eq!(first, order(name, &system.pattern, &system.layout()).unwrap(), "{name}");
        }
    }
}

#[test]
fn vertices_in_one_place_without_couplings_or_elements_are_ordered_too() {
    let positions = vec![[0.5; 3]; 40];
    let all = Pattern::symmetric(40, |couple| {
        for i in 0..40 {
            for j in 0..i {
                couple(i, j);
            }
        }
    })
    .unwrap();
    let none = Pattern::symmetric(40, |_| {}).unwrap();
    let elements: Vec<u32> = (0..40).collect();
    for pattern in [&all, &none] {
        for elements in [&elements[..], &elements[..8], &[]] {
            let layout = Layout { positions: Some(&positions), elements: Some((elements, 4)) };
            for name in OrderingName::ALL {
                let order = order(name, pattern, &layout).unwrap();
                assert!(is_permutation(&order, 40), "{name}");
            }
        }
    }
}

#[test]
fn fill_of_a_hexahedral_block_falls_as_it_should() {
    // The 11 × 11 × 11 vertices of Zhuang and Canny's test 17, where nested dissection has 0.71 of the fill
    // of modified nested dissection, and that has 0.78 of the fill of minimum degree.
    let system = hexahedra([10, 10, 10]);
    let blocks = |name| {
        let order = order(name, &system.pattern, &system.layout()).unwrap();
        (factor_pattern(&system.pattern, &order).unwrap().len() - system.pattern.blocks()) as f64
    };
    let regular = blocks(OrderingName::NestedDissection);
    let modified = blocks(OrderingName::ModifiedNestedDissection);
    let thin = blocks(OrderingName::VertexNestedDissection);
    let metis = blocks(OrderingName::Metis);
    let natural = blocks(OrderingName::Natural);
    let rcm = blocks(OrderingName::ReverseCuthillMcKee);
    let amd = blocks(OrderingName::Amd);
    println!("{regular} {modified} {thin} {metis} {natural} {rcm} {amd}");
    assert!(regular < modified, "{regular} {modified}");
    assert!(thin < modified, "{thin} {modified}");
    assert!(modified < natural && modified < rcm, "{modified} {natural} {rcm}");
    assert!((0.55..0.9).contains(&(regular / modified)), "{}", regular / modified);
    assert!(metis < modified && amd < natural, "{metis} {amd}");
}

#[test]
fn names_read_back_and_unknown_ones_list_what_there_is() {
    for name in OrderingName::ALL {
        assert_eq!(name.name().parse::<OrderingName>().unwrap(), name);
    }
    let error = "rcmk".parse::<OrderingName>().unwrap_err().to_string();
    assert!(error.contains("rcmk") && error.contains("modified-nested-dissection"), "{error}");
}

#[test]
fn what_an_ordering_lacks_is_told() {
    let system = tetrahedra([2, 2, 2], 0.1, 0.2, 1);
    let told =
        |name, layout: Layout<'_>| order(name, &system.pattern, &layout).unwrap_err().to_string();
    for name in [
        OrderingName::NestedDissection,
        OrderingName::ModifiedNestedDissection,
        OrderingName::VertexNestedDissection,
    ] {
        assert!(told(name, Layout::default()).contains("needs the positions"));
        let short = Layout { positions: Some(&system.positions[1..]), elements: None };
        assert!(told(name, short).contains("26 positions for 27 vertices"));
        let mut places = system.positions.clone();
        places[5][1] = f64::NAN;
        let elements = Some((&system.elements[..], 4));
        let nan = order(name, &system.pattern, &Layout { positions: Some(&places), elements });
        assert_eq!(nan, Err(SolverError::NotFinite { what: "the position", vertex: 5 }));
    }
    let name = OrderingName::ModifiedNestedDissection;
    let with = |elements| Layout { positions: Some(&system.positions), elements };
    assert!(told(name, with(None)).contains("needs elements"));
    assert!(told(name, with(Some((&system.elements, 0)))).contains("no elements of 0 nodes"));
    assert!(told(name, with(Some((&[0, 1, 2, 99], 4)))).contains("element 0 has vertex 99"));
}
