use super::*;

fn parts() -> (Vec<Vec3>, Vec<[u32; 3]>, Vec<Material>) {
    (
        vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::splat(9.0)],
        vec![[0, 1, 2]],
        vec![Material::default()],
    )
}

#[test]
fn bounds_leave_out_unused_vertices() {
    let (v, t, m) = parts();
    let scene = Scene::new("s", v, t, m, vec![0]).unwrap();
    assert_eq!(scene.bounds().max, Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(scene.positions(), [[Vec3::ZERO, Vec3::X, Vec3::Y]]);
    assert_eq!(scene.triangle(0), scene.positions()[0]);
}

#[test]
fn inconsistent_parts_are_refused() {
    let (v, t, m) = parts();
    let error = Scene::new("s", v.clone(), vec![[0, 1, 4]], m.clone(), vec![0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "s: triangle 0 has vertex 4, of which there are 4"
    );
    let error = Scene::new("s", v.clone(), t.clone(), m.clone(), vec![1]).unwrap_err();
    assert!(matches!(
        error,
        SceneError::Inconsistent {
            what: "material",
            ..
        }
    ));
    let error = Scene::new("s", v, t, m, vec![]).unwrap_err();
    assert!(matches!(
        error,
        SceneError::MaterialCount { indices: 0, .. }
    ));
}

#[test]
fn normals_are_checked_and_do_not_enter_the_hash() {
    let (v, t, m) = parts();
    let scene = Scene::new("s", v, t, m, vec![0]).unwrap();
    let smooth = [Vec3::Z, Vec3::ZERO, Vec3::new(0.6, 0.8, 0.0)];
    let with = scene.clone().with_normals(vec![smooth]).unwrap();
    assert_eq!(with.normals(), [smooth]);
    assert_eq!(with.input_hash(), scene.input_hash());
    assert_eq!(with.with_normals(Vec::new()).unwrap(), scene);
    let refused = |normals| {
        let error = scene.clone().with_normals(normals).unwrap_err();
        error.to_string()
    };
    assert_eq!(
        refused(vec![smooth; 2]),
        "s: normals, but not those of three corners for each triangle"
    );
    for bad in [Vec3::splat(f32::NAN), Vec3::X * 0.9, Vec3::splat(1e38)] {
        assert_eq!(
            refused(vec![[Vec3::Z, Vec3::Z, bad]]),
            "s: a normal that has neither length 1 nor length 0"
        );
    }
}

#[test]
fn the_input_hash_is_that_of_the_positions() {
    // FNV-1a over the 36 bytes of 0 0 0, 1 0 0, 0 1 0.
    let (v, t, m) = parts();
    let scene = Scene::new("s", v, t, m, vec![0]).unwrap();
    assert_eq!(scene.input_hash(), 0x1d35_35e0_7c06_fa35);
    let loose = Scene::from_triangles("loose", &scene.positions());
    assert_eq!(loose.input_hash(), scene.input_hash());
}

#[test]
fn loose_triangles_are_kept_as_they_are() {
    let list = [
        [Vec3::ZERO, Vec3::X, Vec3::Y],
        [Vec3::Z, Vec3::X, Vec3::NEG_Y],
    ];
    let scene = Scene::from_triangles("loose", &list);
    assert_eq!(scene.positions(), list);
    assert_eq!(scene.len(), 2);
}
