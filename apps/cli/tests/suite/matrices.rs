//! `pliant matrices` of states that are given.

use crate::common::Folder;

const SCENE: &str = "gravity = [0, 0, -9.81]\n[body.bar]\n\
    mesh = { shape = \"box\", size = [2, 1, 1], cells = [2, 1, 1] }\n\
    material = { law = \"stable-neo-hookean\", young = \"10 kPa\" }\n\
    fixed = { set = \"x-min\", axes = \"xz\" }\ndamping = { mass = 0.5 }\n\
    load = [{ set = \"x-max\", pressure = \"400 + 100*Y\" }, { set = \"y-max\", traction = [0, \"20*t\", 0] }]\n\
    [obstacle.floor]\nshape = \"plane\"\npoint = [0, 0, 0.1]\nnormal = [0, 0, 1]\nfriction = 0\n\
    [time]\nstep = 0.01\nsteps = 4\n[output]\nframes = \"10 ms\"\n";

/// As numpy.save writes it.
fn save(folder: &Folder, name: &str, list: &[[f64; 3]]) {
    let mut head =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, 3), }}", list.len());
    while (head.len() + 11) % 64 != 0 {
        head.push(' ');
    }
    head.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((head.len() as u16).to_le_bytes());
    bytes.extend(head.bytes());
    list.as_flattened().iter().for_each(|n| bytes.extend(n.to_le_bytes()));
    std::fs::write(folder.path(name), bytes).unwrap();
}

fn load(folder: &Folder, name: &str) -> Vec<f64> {
    let bytes = std::fs::read(folder.path(name)).unwrap();
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes[start..].as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect()
}

fn vectors(numbers: &[f64]) -> Vec<[f64; 3]> {
    numbers.as_chunks::<3>().0.to_vec()
}

/// K d by the Matrix Market file.
fn product(folder: &Folder, name: &str, d: &[f64]) -> Vec<f64> {
    let text = std::fs::read_to_string(folder.path(name)).unwrap();
    let symmetric = text.lines().next().unwrap().ends_with("symmetric");
    let mut y = vec![0.0; d.len()];
    for line in text.lines().skip(2) {
        let mut parts = line.split(' ');
        let mut next = || parts.next().unwrap();
        let (i, j): (usize, usize) = (next().parse().unwrap(), next().parse().unwrap());
        let value: f64 = next().parse().unwrap();
        y[i - 1] += value * d[j - 1];
        if symmetric && i != j {
            y[j - 1] += value * d[i - 1];
        }
    }
    y
}

/// −K d is what forces change by along d, at the state of a frame and at one by arrays; D w what they change by with velocities.
#[test]
fn stiffness_and_damping_of_a_state_are_derivatives_of_its_forces() {
    let folder = Folder::new();
    folder.write("bar.toml", SCENE);
    folder.json("run bar.toml --out run");
    let frame = folder.json("matrices --state run/frames/bar_00003.vtu --format npz --out frame");
    assert!((frame["time"].as_f64().unwrap() - 0.03).abs() < 1e-15, "{frame}");
    let (x, v) = (load(&folder, "frame/x.npy"), load(&folder, "frame/v.npy"));
    assert!(v.iter().any(|v| v.abs() > 1e-3), "{v:?}");
    save(&folder, "x.npy", &vectors(&x));
    save(&folder, "v.npy", &vectors(&v));
    let given = "--velocity v.npy --time 0.03 --out";
    folder.json(&format!("matrices bar.toml --state x.npy {given} text"));
    folder.json(&format!("matrices bar.toml --state x.npy --format npz {given} again"));
    // The frame and its arrays are one state.
    for file in ["f.npy", "x.npy", "v.npy", "K.npz", "D.npz"] {
        let bytes = |run: &str| std::fs::read(folder.path(&format!("{run}/{file}"))).unwrap();
        assert!(bytes("frame") == bytes("again"), "{file}");
    }
    let d: Vec<f64> = (0..x.len()).map(|k| (1.0 + 7.0 * k as f64).sin()).collect();
    let e = 1e-5;
    let moved = |of: &[f64], s: f64| -> Vec<[f64; 3]> {
        vectors(&of.iter().zip(&d).map(|(x, d)| x + s * d).collect::<Vec<_>>())
    };
    for (name, flags) in
        [("K", "--state moved.npy --velocity v.npy"), ("D", "--state x.npy --velocity moved.npy")]
    {
        let of = if name == "K" { &x } else { &v };
        let [low, high] = [-e, e].map(|s| {
            save(&folder, "moved.npy", &moved(of, s));
            folder.json(&format!("matrices bar.toml {flags} --time 0.03 --format npz --out moved"));
            load(&folder, "moved/f.npy")
        });
        let exact = product(&folder, &format!("text/{name}.mtx"), &d);
        let size = exact.iter().map(|y| y * y).sum::<f64>().sqrt();
        let off = exact.iter().zip(low.iter().zip(&high));
        let off = off.map(|(y, (l, h))| (y + (h - l) / (2.0 * e)).powi(2)).sum::<f64>().sqrt();
        assert!(off < 1e-6 * size, "{name}: {off:.2e} of {size:.2e}");
    }
}

#[test]
fn forces_by_model_sum_up_and_what_is_held_is_told() {
    let folder = Folder::new();
    folder.write("bar.toml", SCENE);
    folder.json("run bar.toml --out run --set body.bar.damping.stiffness=0.01");
    let result = folder.json("matrices --state run --format npz --out at");
    let names: Vec<&str> =
        result["forces"].as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect();
    for name in ["internal", "gravity", "load-1", "load-2", "stiffness-damping"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let total = load(&folder, "at/f.npy");
    let mut sum = vec![0.0; total.len()];
    for force in result["forces"].as_array().unwrap() {
        let part = load(&folder, &format!("at/{}", force["file"].as_str().unwrap()));
        assert!(part.iter().any(|f| *f != 0.0), "{force}");
        sum.iter_mut().zip(part).for_each(|(s, p)| *s += p);
    }
    let size = total.iter().fold(0.0, |most, f| f64::max(most, f.abs()));
    for (s, t) in sum.iter().zip(&total) {
        assert!((s - t).abs() < 1e-12 * size, "{s} {t}");
    }
    let (x, held) = (load(&folder, "at/x.npy"), load(&folder, "at/held.npy"));
    for (x, held) in vectors(&x).iter().zip(vectors(&held)) {
        let there = f64::from(u8::from(x[0] == 0.0));
        assert_eq!(held, [there, 0.0, there], "{x:?}");
    }
    for file in ["f", "K", "M", "D", "x", "v", "held"] {
        let name = result["files"][file].as_str().unwrap();
        assert!(folder.path(&format!("at/{name}")).is_file(), "{name}");
    }
}

#[test]
fn states_that_do_not_fit_are_refused_by_file_and_fix() {
    let folder = Folder::new();
    folder.write("bar.toml", SCENE);
    save(&folder, "short.npy", &[[0.0; 3]; 5]);
    save(&folder, "nan.npy", &[[f64::NAN; 3]; 12]);
    folder.write("text.npy", "no array");
    for (flags, words) in [
        ("bar.toml --state short.npy", "short.npy: 5 vertices, but the scene has 12"),
        ("bar.toml --state nan.npy", "nan.npy: row 0 holds NaN"),
        ("bar.toml --state text.npy", "text.npy: it is no .npy file; save it by numpy.save"),
        ("--state short.npy", "give that too"),
        ("bar.toml --velocity short.npy", "add --state x.npy"),
        ("bar.toml --time 1", "add --state x.npy"),
    ] {
        let message = folder.fails(&format!("matrices {flags} --out at"), 2);
        assert!(message.contains(words), "{flags}: {message}");
    }
    folder.json("mesh make box --size 1 1 1 --cells 1 1 1 other.vtu");
    let message = folder.fails("matrices bar.toml --state other.vtu --out at", 2);
    assert!(message.contains("other.vtu: 8 vertices, but body 'bar' has 12"), "{message}");
    let message = folder.fails("matrices bar.toml --state other.vtu --state other.vtu --out at", 2);
    assert!(message.contains("2 frames for 1 bodies"), "{message}");
}
