//! What is written is read; what was changed is refused and named.

use pliant_sections::{SectionError, Sections, VERSION};

fn example() -> Sections {
    let mut sections = Sections::new();
    sections.write("clock").number(0.25).word(17).flag(true);
    sections.write("nothing");
    sections
        .write("lists")
        .vectors(&[[1.0, -0.0, f64::NAN], [f64::INFINITY, 5e-324, 2.0]])
        .indices(&[7, 8, 9])
        .text("größer")
        .maybe_number(None)
        .numbers([1.5, 2.5]);
    sections
}

#[test]
fn what_is_written_is_read_back_to_the_last_bit() {
    let sections = Sections::from_bytes(&example().to_bytes()).unwrap();
    assert_eq!(sections, example());
    assert_eq!(sections.names().collect::<Vec<_>>(), ["clock", "nothing", "lists"]);
    let mut clock = sections.read("clock").unwrap();
    assert_eq!(
        (clock.number(), clock.word(), clock.flag(), clock.finish()),
        (Ok(0.25), Ok(17), Ok(true), Ok(()))
    );
    sections.read("nothing").unwrap().finish().unwrap();
    let mut lists = sections.read("lists").unwrap();
    let vectors = lists.vectors_of::<3>(2).unwrap();
    assert_eq!(vectors[0].map(f64::to_bits), [1.0, -0.0, f64::NAN].map(f64::to_bits));
    assert_eq!(vectors[1], [f64::INFINITY, 5e-324, 2.0]);
    assert_eq!(lists.indices().unwrap(), [7, 8, 9]);
    assert_eq!(lists.text().unwrap(), "größer");
    assert_eq!(lists.maybe_number().unwrap(), None);
    assert_eq!(lists.numbers::<2>().unwrap(), [1.5, 2.5]);
    lists.finish().unwrap();
}

#[test]
fn every_changed_byte_and_every_other_length_is_refused() {
    let good = example().to_bytes();
    for at in 0..good.len() {
        for change in [1, 0x80, 0xFF] {
            let mut bad = good.clone();
            bad[at] ^= change;
            Sections::from_bytes(&bad).unwrap_err();
        }
        let error = Sections::from_bytes(&good[..at]).unwrap_err().to_string();
        assert!(error.contains("damaged: cut off"), "{at}: {error}");
    }
    for more in 1..20 {
        let mut long = good.clone();
        long.resize(good.len() + more, 0);
        assert!(matches!(Sections::from_bytes(&long), Err(SectionError::Trailing { .. })));
    }
}

#[test]
fn what_is_wrong_is_named() {
    let good = example().to_bytes();
    let with = |at: usize, bytes: &[u8]| {
        let mut bad = good.clone();
        bad[at..at + bytes.len()].copy_from_slice(bytes);
        Sections::from_bytes(&bad).unwrap_err()
    };
    assert_eq!(with(0, b"PK"), SectionError::NotACheckpoint);
    assert_eq!(with(0, b"pliantC1"), SectionError::Older { found: 1 });
    assert_eq!(with(8, &[1]), SectionError::Older { found: 1 });
    assert_eq!(with(8, &[3]), SectionError::Newer { found: VERSION + 1 });
    assert!(matches!(with(40, &[0xAA]), SectionError::Checksum { .. }));
    let sections = example();
    assert_eq!(
        sections.read("memory").unwrap_err().to_string(),
        "cannot be used: section 'memory' is missing"
    );
    let mut clock = sections.read("clock").unwrap();
    clock.word().unwrap();
    let error = clock.clone().finish().unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot be used: section 'clock' has the wrong length: 16 bytes left, 0 needed"
    );
    // 17 vectors do not fit into the 8 bytes that are left; nothing is allocated for them.
    let error = clock.vectors::<3>().unwrap_err().to_string();
    assert!(error.contains("wrong length: 8 bytes left, 408 needed"), "{error}");
    let mut lists = sections.read("lists").unwrap();
    let error = lists.vectors_of::<3>(4).unwrap_err().to_string();
    assert!(error.contains("'lists' has the wrong length: 2 entries, 4 needed"), "{error}");
}

/// Lengths near the end of the numbers, in a file whose checksum is right.
#[test]
fn lengths_that_overflow_are_refused() {
    for length in [u64::MAX, u64::MAX - 7, 1 << 62] {
        let mut sections = Sections::new();
        sections.write("list").word(length);
        let sections = Sections::from_bytes(&sections.to_bytes()).unwrap();
        sections.read("list").unwrap().vectors::<3>().unwrap_err();
        sections.read("list").unwrap().indices().unwrap_err();
        sections.read("list").unwrap().text().unwrap_err();
    }
}

#[test]
#[should_panic(expected = "written twice")]
fn two_owners_of_one_name_are_a_mistake() {
    let mut sections = Sections::new();
    sections.write("newton");
    sections.write("newton");
}
