//! Studies by name.

use pliant_study::NamedStudy;

#[test]
fn nodes_that_collide_are_back_after_two_steps() {
    let study = NamedStudy::run("zhuang-canny-12", &|_| true).unwrap().unwrap();
    println!("{}", study.text());
    assert!(study.holds);
    assert_eq!(study.json()["rows"].as_array().map(Vec::len), Some(4));
}

#[test]
fn the_dropped_sphere_is_stopped_by_every_mode() {
    let study = NamedStudy::run("virtis-5.6", &|_| true).unwrap().unwrap();
    println!("{}", study.text());
    assert!(study.holds);
    for row in &study.json()["rows"].as_array().unwrap()[..2] {
        // The thesis has 1788 and 2409 in as many steps.
        let newton = row["Newton"].as_u64().unwrap();
        assert!((1000..1800).contains(&newton), "{row}");
        assert_eq!(row["deepest m"], 0.0);
    }
}

#[test]
fn studies_stop_where_they_are_told_to_and_unknown_ones_are_refused() {
    for (name, _) in NamedStudy::all() {
        assert_eq!(NamedStudy::run(name, &|_| false).unwrap(), None);
    }
    let told = NamedStudy::run("virtis-5.7", &|_| true).unwrap_err().to_string();
    assert!(told.contains("virtis-5.6") && told.contains("zhuang-canny-12"), "{told}");
}
