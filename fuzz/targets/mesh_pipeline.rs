//! Odd meshes through everything that takes a mesh: measures, topology, the doctor, reordering,
//! refinement, and every writer with its reader.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use pliant_fuzz::{arbitrary_mesh, volume};
use pliant_mesh::io::{gmsh, medit, veg, vtk, vtu};
use pliant_mesh::{CellType, VolumeMesh, doctor, measure, quality, refine, reorder, topology};

fuzz_target!(init: pliant_fuzz::stay_on_this_thread(), |data: &[u8]| {
    let mut input = Unstructured::new(data);
    let Ok(step) = input.int_in_range(0..=12_u8) else { return };
    let Ok(mesh) = arbitrary_mesh::mesh(&mut input) else { return };
    assert_eq!(mesh.validate(), Ok(()), "the generator makes valid meshes");
    match step {
        0 => measures(&mesh),
        1 => topology(&mesh),
        2 => check_and_fix(&mesh),
        3 => orders(&mesh),
        4 => refinements(&mesh),
        _ => files(mesh, step - 5),
    }
});

fn measures(mesh: &VolumeMesh) {
    let _ = measure::mass_properties(mesh);
    assert!(measure::bounding_box(mesh).diagonal() >= 0.0);
    assert_eq!(quality::cells(mesh).len(), mesh.cell_count());
    let _ = quality::summary(mesh, 10);
}

fn topology(mesh: &VolumeMesh) {
    let boundary = topology::boundary(mesh);
    assert_eq!(boundary.surface.validate(), Ok(()));
    assert_eq!(boundary.cell.len(), boundary.surface.triangles.len());
    assert!(topology::edges(mesh).is_sorted());
    let parts = topology::components(mesh);
    assert_eq!(parts.sizes().iter().sum::<usize>(), mesh.cell_count());
    let _ = (topology::faces(mesh), topology::cell_neighbours(mesh), topology::vertex_cells(mesh));
    let _ = doctor::check_surface(&boundary.surface, &doctor::Options::default());
    let fixed = doctor::fix_surface(&boundary.surface, &doctor::Options::default());
    assert_eq!(fixed.surface.validate(), Ok(()));
}

fn check_and_fix(mesh: &VolumeMesh) {
    let options = doctor::Options::default();
    for problem in doctor::check(mesh, &options).problems {
        assert!(problem.count > 0 && !problem.to_string().is_empty());
    }
    let fixed = doctor::fix(mesh, &options);
    assert_eq!(fixed.mesh.validate(), Ok(()));
    assert_eq!(fixed.left, doctor::check(&fixed.mesh, &options));
    assert!(fixed.mesh.cell_count() <= mesh.cell_count());
}

fn orders(mesh: &VolumeMesh) {
    for vertices in [reorder::hilbert_vertices(mesh), reorder::cuthill_mckee(mesh)] {
        let cells = reorder::cells_by_lowest_vertex(mesh, &vertices);
        let moved = reorder::reordered(mesh, &vertices, &cells);
        assert_eq!(moved.validate(), Ok(()));
        let back = reorder::reordered(&moved, &vertices.inverse(), &cells.inverse());
        volume::assert_same(mesh, &back, true, b"reordering");
    }
}

fn refinements(mesh: &VolumeMesh) {
    if let Ok(refined) = refine::octasect(mesh) {
        assert_eq!(refined.mesh.validate(), Ok(()));
        assert_eq!(refined.mesh.cell_count(), 8 * mesh.cell_count());
    }
    if let Ok(tets) = refine::hex_to_tets(mesh, refine::Split::Six) {
        assert_eq!(tets.validate(), Ok(()));
    }
    if let Ok(tets) = refine::hex_to_tets(mesh, refine::Split::Five) {
        assert_eq!(tets.validate(), Ok(()));
    }
    if let Ok(quadratic) = refine::to_quadratic(mesh) {
        assert_eq!(quadratic.validate(), Ok(()));
    }
    if let Ok(linear) = refine::to_linear(mesh) {
        assert_eq!(linear.validate(), Ok(()));
    }
}

/// Through a file: every writer, read by its own reader.
fn files(mut mesh: VolumeMesh, format: u8) {
    mesh.orient();
    match format {
        0 if mesh.cell_type == CellType::Hex20 => {
            let written = medit::write(&mesh, &mut Vec::new());
            assert!(written.is_err(), "a .mesh has no hex20");
        }
        0 => volume::round_trip(&mesh, |mesh, sink| medit::write(mesh, sink), medit::read),
        1 if mesh.cell_type.is_quadratic() => {
            let written = veg::write(&mesh, &mut Vec::new());
            assert!(written.is_err(), "a .veg has no quadratic cells");
        }
        1 => volume::round_trip(&mesh, |mesh, sink| veg::write(mesh, sink), veg::read),
        2 => volume::tetgen_round_trip(&mesh),
        3 | 4 => {
            let version = if format == 3 { gmsh::Version::V22 } else { gmsh::Version::V41 };
            let options = gmsh::Options { version, binary: mesh.vertex_count() % 2 == 0 };
            volume::round_trip(&mesh, |mesh, sink| gmsh::write(mesh, sink, &options), gmsh::read);
        }
        5 => {
            let options = vtk::Options { binary: mesh.vertex_count() % 2 == 0 };
            volume::round_trip(&mesh, |mesh, sink| vtk::write(mesh, sink, &options), vtk::read);
        }
        _ => {
            use vtu::Encoding::{Ascii, Base64, Zlib};
            let encoding = [Ascii, Base64, Zlib][mesh.vertex_count() % 3];
            let options = vtu::Options { encoding };
            volume::round_trip(&mesh, |mesh, sink| vtu::write(mesh, sink, &options), vtu::read);
        }
    }
}
