//! Tables that cannot serve are refused with the place that is wrong.

use pliant_memory_fit::{FitError, Measured};

/// Line, column and text of the error.
fn place(table: &str) -> (u64, u64, String) {
    match Measured::read(table) {
        Err(FitError::Cell { line, column, text, .. }) => (line, column, text),
        other => panic!("{table}: {other:?}"),
    }
}

#[test]
fn units_separators_comments_and_order_of_columns_are_free() {
    let plain = Measured::read("time,modulus\n0.001,5000\n0.01,4000\n0.1,3000\n1,3000\n").unwrap();
    for table in [
        "\u{feff}modulus [kPa] ; time [ms]\r\n5;1\r\n\r\n4;10\r\n3;100\r\n# end\r\n3;1000\r\n",
        "# from a rheometer\nTime (ms)\tModulus (kPa)\n1\t5\n10\t4\n100\t3\n1000\t3",
    ] {
        let Measured::StepStrain { time, modulus } = Measured::read(table).unwrap() else {
            panic!("{table}");
        };
        let Measured::StepStrain { time: t, modulus: m } = &plain else { panic!() };
        for (a, b) in time.iter().chain(&modulus).zip(t.iter().chain(m)) {
            assert!((a / b - 1.0).abs() < 1e-14, "{a} {b}");
        }
    }
    let radians = "frequency [rad/s], storage, loss\n6.283185307179586,1,1\n8,1,1\n9,1,1\n10,1,1\n";
    let Measured::Oscillation { frequency, .. } = Measured::read(radians).unwrap() else {
        panic!();
    };
    assert!((frequency[0] - 1.0).abs() < 1e-15);
}

#[test]
fn gaps_and_wrong_numbers_are_at_their_line_and_column() {
    let table = |row: &str| format!("time, strain, stress\n0, 0, 0\n{row}\n2, 1, 5\n3, 1, 4\n");
    for (row, column, word) in [
        ("1, , 5", 3, "gap"),
        ("1, 1", 5, "stress"),
        ("1, 1, NaN", 7, "finite"),
        ("1, inf, 3", 4, "finite"),
        ("1, 1, x", 7, "number"),
        ("1, 1, 4, 7", 10, "more than the 3"),
        ("0, 1, 4", 1, "ascend"),
        ("1e999, 1, 4", 1, "finite"),
    ] {
        let (line, at, text) = place(&table(row));
        assert_eq!((line, at), (3, column), "{row}: {text}");
        assert!(text.contains(word), "{row}: {text}");
    }
    let (line, column, text) = place("time;modulus\n1;2\n2;1,5\n3;1\n4;1\n");
    assert_eq!((line, column), (3, 3));
    assert!(text.contains("decimal point"), "{text}");
    let (line, column, text) = place("frequency,storage,loss\n1,1,1\n2,1,1\n3,1,-1\n4,1,1\n");
    assert_eq!((line, column), (4, 5));
    assert!(text.contains("loss is -1"), "{text}");
    assert_eq!(place("frequency,storage,loss\n1,1,1\n0,1,1\n").0, 3);
    assert_eq!(place("time,modulus\n0,1\n1,0\n").0, 3);
    assert_eq!(place("time,modulus\n-1,1\n1,1\n").0, 2);
}

#[test]
fn wrong_headers_say_what_is_right() {
    for (header, column, word) in [
        ("time, strian, stress", 7, "'strain'"),
        ("time, strain", 1, "time, strain, stress |"),
        ("1, 2, 3", 1, "unknown column"),
        ("time, time, stress", 7, "two columns"),
        ("time [kPa], modulus", 1, "kPa"),
        ("time, modulus [s]", 7, "a pressure"),
        ("time, modulus [kpa]", 7, "kPa"),
        ("time,, stress", 6, "without a name"),
        ("", 1, "no header"),
    ] {
        let (line, at, text) = place(header);
        assert_eq!((line, at), (1, column), "{header}: {text}");
        assert!(text.contains(word), "{header}: {text}");
    }
}

#[test]
fn too_few_rows_are_counted() {
    let error = Measured::read("time,modulus\n0,1\n1,1\n2,1\n").unwrap_err();
    assert_eq!(error.to_string(), "3 rows of data: at least 4 are needed for a fit");
    let data = Measured::read("time,modulus\n0,4\n1,3\n2,2\n3,1.5\n").unwrap();
    let error = data.fit_times(&[0.1, 0.5, 1.0, 2.0]).unwrap_err();
    assert!(error.to_string().contains("5 are needed for 4 times"), "{error}");
    assert!(data.fit_times(&[0.0]).unwrap_err().to_string().contains("times = 0"));
    let still = Measured::read("time,strain,stress\n0,0,1\n1,0,1\n2,0,1\n3,0,1\n").unwrap_err();
    assert!(still.to_string().contains("strain is 0"), "{still}");
}

#[test]
fn columns_of_different_length_are_no_table() {
    let data = Measured::StepStrain { time: vec![0.0, 1.0, 2.0, 3.0, 4.0], modulus: vec![1.0; 4] };
    assert!(matches!(data.fit(2), Err(FitError::Row { row: 4, .. })), "{:?}", data.fit(2));
}
