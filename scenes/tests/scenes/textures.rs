//! Textures of OBJ files: what is read, what becomes of the coordinates, and what cannot be had.

use glam::Vec3;
use heapwood_scenes::{
    CleanOptions, Loaded, MAX_TEXTURE_COORDINATE, Material, MaterialTextures, Texturing, Wrap,
    generate, load, read_obj,
};
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};
use proptest::prelude::*;
use std::path::Path;

/// A PNG file of two texels, red and clear blue.
fn two_texels() -> Vec<u8> {
    let mut file = Vec::new();
    let texels = [255, 0, 0, 255, 0, 0, 255, 0];
    let encoder = PngEncoder::new(&mut file);
    encoder
        .write_image(&texels, 2, 1, ExtendedColorType::Rgba8)
        .unwrap();
    file
}

/// Reads a scene whose library has this text; images are those of two texels, but for
/// `missing.png` and the broken `broken.png`.
fn read(obj: &str, mtl: &str) -> Loaded {
    let text = format!("mtllib m.mtl\n{obj}");
    let file = |name: &str| match name {
        "m.mtl" => Ok(mtl.as_bytes().to_vec()),
        "missing.png" => Err("no such file".to_owned()),
        "broken.png" => Ok(two_texels()[..40].to_vec()),
        _ => Ok(two_texels()),
    };
    read_obj("in.obj", text.into_bytes(), file, CleanOptions::default()).unwrap()
}

fn lines(loaded: &Loaded) -> Vec<String> {
    loaded.warnings.iter().map(ToString::to_string).collect()
}

/// The coordinates of each triangle's corners, by its positions seen from above.
fn laid(loaded: &Loaded) -> Vec<([Vec3; 3], [[f32; 2]; 3])> {
    let coordinates = &loaded.scene.texturing().coordinates;
    let positions = loaded.scene.positions().into_iter();
    positions.zip(coordinates.iter().copied()).collect()
}

const CORNERS: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nusemtl a\n";
const COORDINATES: &str = "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n";
const SQUARE: &str = "f 1/1 2/2 3/3 4/4\n";

#[test]
fn maps_of_three_kinds_are_read_with_their_options() {
    let mtl = "newmtl a\nKd 0.5 0.5 0.5\nmap_Kd -s 2 4 -o 0.5 0.25 a.png\nmap_d a.png\n\
               newmtl b\nmap_Kd -clamp on a.png\nmap_Ke a.png\nmap_Bump b.png\n";
    let obj = format!("{CORNERS}{COORDINATES}{SQUARE}v 0 0 1\nusemtl b\nf 1/1 2/2 5/3\n");
    let loaded = read(&obj, mtl);
    let texturing = loaded.scene.texturing();
    let [a, b] = loaded.scene.materials() else {
        panic!("{:?}", loaded.scene.materials());
    };
    let numbers = |textures: MaterialTextures| {
        [textures.base, textures.emission, textures.opacity].map(|number| {
            let texture = texturing.textures[number? as usize];
            Some((texture.wrap[0], texture.map))
        })
    };
    let plain = [1.0, 0.0, 0.0, 0.0, -1.0, 1.0];
    let moved = [2.0, 0.0, 0.5, 0.0, -4.0, 0.75];
    let expected = [
        Some((Wrap::Repeat, moved)),
        None,
        Some((Wrap::Repeat, plain)),
    ];
    assert_eq!(numbers(a.textures), expected);
    let expected = [
        Some((Wrap::Clamp, plain)),
        Some((Wrap::Repeat, plain)),
        None,
    ];
    assert_eq!(numbers(b.textures), expected);
    // Where nothing else is said, textures scale white.
    assert_eq!((a.diffuse, a.emission), (Vec3::splat(0.5), Vec3::ZERO));
    assert_eq!((b.diffuse, b.emission), (Vec3::ONE, Vec3::ONE));
    // The same file once for colours and once for opacities.
    assert_eq!(texturing.images.len(), 2);
    assert_eq!(
        texturing.images[0].texels,
        [[255, 0, 0, 255], [0, 0, 255, 0]]
    );
    assert_eq!(
        lines(&loaded),
        ["m.mtl: 1 texture maps ignored; plain colours are used"]
    );
}

#[test]
fn coordinates_stay_with_their_corners() {
    // An arrow with a notch, whose coordinates are its positions; a triangle that is there twice
    // and one without area before another.
    let mtl = "newmtl a\nmap_Kd a.png\n";
    let obj = "v 0 0 0\nv 4 0 0\nv 1 1 0\nv 0 4 0\nusemtl a\nvt 0 0\nvt 4 0\nvt 1 1\nvt 0 4\n\
               f 3/3 4/4 1/1 2/2\nf 1/1 1/1 2/2\nf 2/1 3/1 4/1\nf 2/2 3/3 4/4\n";
    let loaded = read(obj, mtl);
    assert_eq!((loaded.report.degenerate, loaded.report.duplicates), (1, 1));
    let laid = laid(&loaded);
    assert_eq!(laid.len(), 3);
    for (corners, coordinates) in &laid[..2] {
        let expected = corners.map(|corner| [corner.x, corner.y]);
        assert_eq!(coordinates, &expected);
    }
    assert_eq!(laid[2].1, [[0.0, 0.0]; 3], "the earlier of two is kept");
}

#[test]
fn groups_and_triangles_alone_keep_the_order_of_corners() {
    let mtl = "newmtl a\nmap_Kd a.png\nnewmtl b\n";
    let obj = "f 1/1 2/2 3/3\nusemtl b\nf 1 3 4\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 2\n\
               g x\nusemtl a\nf 1/4/1 2/-4 5/3\nf -5/1 -3/3 -1/2\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n";
    let obj = obj.replace("2/-4", "2/2");
    let loaded = read(&format!("usemtl a\n{obj}"), mtl);
    let found: Vec<_> = laid(&loaded)
        .into_iter()
        .map(|(_, corners)| corners)
        .collect();
    let [p, q, r, s] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    assert_eq!(found, [[p, q, r], [[0.0; 2]; 3], [s, q, r], [p, r, q]]);
    assert_eq!(lines(&loaded), [""; 0]);
}

#[test]
fn what_cannot_be_had_is_a_warning_and_plain() {
    let mtl = "newmtl a\nKd 0.5 0.25 0\nmap_Kd missing.png\nmap_Ke broken.png\n\
               newmtl c\nmap_Kd missing.png\nnewmtl unused\nmap_Kd other-missing.png\n";
    let obj = format!("{CORNERS}{COORDINATES}{SQUARE}v 0 0 1\nusemtl c\nf 1/1 2/2 5/3\n");
    let loaded = read(&obj, mtl);
    let [a, c, _] = loaded.scene.materials() else {
        panic!("{:?}", loaded.scene.materials());
    };
    let plain = Material::matt("a", Vec3::new(0.5, 0.25, 0.0));
    assert_eq!((a, c.diffuse), (&plain, Material::default().diffuse));
    assert_eq!(loaded.scene.texturing(), &Texturing::default());
    let lines = lines(&loaded);
    let [missing, broken] = &lines[..] else {
        panic!("{lines:?}");
    };
    assert_eq!(
        missing,
        "m.mtl:3: the texture is not used: missing.png: no such file; the plain colour stands in"
    );
    let start = "m.mtl:4: the texture is not used: broken.png: it is damaged: ";
    assert!(broken.starts_with(start), "{broken}");
}

#[test]
fn triangles_without_coordinates_are_plain() {
    let mtl = "newmtl a\nKd 0.5 0.5 0.5\nmap_Kd a.png\n";
    let obj = format!("{CORNERS}{COORDINATES}f 1/1 2/2 3/3\nf 1 3/3 4/4\n");
    let loaded = read(&obj, mtl);
    assert_eq!(loaded.scene.material_of(), [0, 1]);
    assert_eq!(
        loaded.scene.materials()[1],
        Material::matt("a", Vec3::splat(0.5))
    );
    assert_eq!(
        lines(&loaded),
        ["in.obj: 1 triangles with textures have no texture coordinates; plain colours are used"]
    );
}

#[test]
fn coordinates_that_are_no_numbers_are_0_and_told() {
    let mtl = "newmtl a\nmap_Kd a.png\n";
    let obj = format!("{CORNERS}vt nan 0.5\nvt 1e30 0.5\nvt x\nvt 0.5 0.5\nf 1/1 2/2 3/9 4/4\n");
    let loaded = read(&obj, mtl);
    let coordinates = loaded.scene.texturing().coordinates.as_flattened();
    assert_eq!(coordinates[..3], [[0.0, 0.5], [0.0, 0.5], [0.0, 0.0]]);
    assert_eq!(
        lines(&loaded),
        [
            "in.obj:7: texture coordinates that are no numbers up to 1e6, or are not there: 0 \
          stands in for 4"
        ]
    );
}

#[test]
fn images_are_beside_their_library() {
    let text = format!("mtllib sub/m.mtl\n{CORNERS}{COORDINATES}{SQUARE}");
    let file = |name: &str| match Path::new(name) {
        name if name == Path::new("sub/m.mtl") => Ok(b"newmtl a\nmap_Kd x\\a b.png".to_vec()),
        name if name == Path::new("sub/x/a b.png") => Ok(two_texels()),
        _ => Err(format!("{name}?")),
    };
    let loaded = read_obj("in.obj", text.into_bytes(), file, CleanOptions::default()).unwrap();
    assert_eq!(lines(&loaded), [""; 0]);
    assert_eq!(loaded.scene.texturing().images.len(), 1);
}

#[test]
fn the_parlour_is_read_whole_and_divided_with_its_textures() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/parlour.obj");
    let loaded = load(path, CleanOptions::default()).unwrap();
    assert_eq!(lines(&loaded), [""; 0]);
    let texturing = loaded.scene.texturing();
    assert_eq!((texturing.images.len(), texturing.textures.len()), (4, 5));
    assert_eq!(loaded.report.kept, loaded.report.read);
    let fine = generate::subdivide(&loaded.scene, 2, generate::Displacement::NONE).unwrap();
    let mean = |scene: &heapwood_scenes::Scene| -> [f64; 2] {
        let corners = scene.texturing().coordinates.as_flattened();
        [0, 1].map(|axis| {
            let sum: f64 = corners.iter().map(|corner| f64::from(corner[axis])).sum();
            sum / corners.len() as f64
        })
    };
    let (before, after) = (mean(&loaded.scene), mean(&fine));
    assert_eq!(fine.texturing().coordinates.len(), fine.len());
    for axis in 0..2 {
        assert!((before[axis] - after[axis]).abs() < 1e-6);
    }
}

/// A text of words that reach deep into the reader of materials.
fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => prop::sample::select(vec![
            "map_Kd", "map_Ke", "map_d", "map_Ks", "newmtl", "a", "b", "Kd", "d", "-s", "-o", "-t", "-mm",
            "-clamp", "on", "off", "-bm", "-imfchan", "-x", "a.png", "missing.png", "broken.png",
            "\n", "\n", "\n", "\\\n", "#", "1", "-1", "0.5", "nan", "inf", "1e39", "é", "../", "\\",
        ]).prop_map(str::to_owned),
        1 => any::<f32>().prop_map(|number| number.to_string()),
        1 => "\\PC{0,4}",
    ];
    prop::collection::vec(word, 0..60).prop_map(|words| words.join(" "))
}

/// A texture coordinate as a file may have it.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<f32>().prop_map(|number| number.to_string()),
        prop::sample::select(vec!["nan", "-inf", "1e39", "x", "", "0.5", "-3"])
            .prop_map(str::to_owned),
    ]
}

fn is_sound(loaded: &Loaded) -> bool {
    let texturing = loaded.scene.texturing();
    let mut numbers = texturing.coordinates.iter().flatten().flatten();
    let count = match texturing.textures.is_empty() {
        true => 0,
        false => loaded.scene.len(),
    };
    texturing.coordinates.len() == count
        && numbers.all(|number| number.abs() <= MAX_TEXTURE_COORDINATE)
        && lines(loaded)
            .iter()
            .all(|line| !line.contains(['\n', '\r']))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn materials_of_any_words_are_read(mtl in words()) {
        let loaded = read(&format!("{CORNERS}{COORDINATES}{SQUARE}"), &format!("newmtl a\n{mtl}\nmap_Kd a.png"));
        prop_assert!(is_sound(&loaded), "{loaded:?}");
    }

    #[test]
    fn coordinates_of_any_numbers_are_sound(
        given in prop::collection::vec((number(), number()), 0..6),
        named in prop::collection::vec(prop_oneof![-8_i64..8, any::<i64>()], 8),
    ) {
        let given: String = given.iter().map(|(u, v)| format!("vt {u} {v}\n")).collect();
        let corner = |at: usize| format!("{}/{}", at % 4 + 1, named[at]);
        let faces = [[0, 1, 2, 3], [4, 5, 6, 7]].map(|face| format!("f {}\n", face.map(corner).join(" ")));
        let loaded = read(&format!("{CORNERS}{given}{}", faces.concat()), "newmtl a\nmap_Kd a.png");
        prop_assert!(is_sound(&loaded), "{loaded:?}");
    }

    #[test]
    fn images_of_any_bytes_are_refused_or_read(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        random in prop::collection::vec(any::<u8>(), 0..300),
        start in 0..4_usize,
    ) {
        let mut edited = two_texels();
        for (at, byte) in edits {
            let at = at.index(edited.len());
            edited[at] = byte;
        }
        let starts: [&[u8]; 4] = [b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0\0\x10JFIF\0", &edited];
        let image = match start {
            3 => edited.clone(),
            _ => [starts[start], &random].concat(),
        };
        let text = format!("mtllib m.mtl\n{CORNERS}{COORDINATES}{SQUARE}");
        let file = |name: &str| match name {
            "m.mtl" => Ok(b"newmtl a\nmap_Kd a.png\nmap_d a.png".to_vec()),
            _ => Ok(image.clone()),
        };
        let loaded = read_obj("in.obj", text.into_bytes(), file, CleanOptions::default()).unwrap();
        prop_assert!(is_sound(&loaded), "{loaded:?}");
        // One that is refused is told with its place, and the plain colour stands in.
        if loaded.scene.texturing().images.is_empty() {
            let place = "m.mtl:2: the texture is not used: a.png: ";
            let lines = lines(&loaded);
            prop_assert!(lines.iter().any(|line| line.starts_with(place)), "{lines:?}");
            prop_assert_eq!(&loaded.scene.materials()[0], &Material::matt("a", Material::default().diffuse));
        }
    }

    #[test]
    fn unknown_words_are_told_with_their_line(before in 0..30_usize, word in "[g-z][a-z_]{2,9}") {
        let is_known = ["norm", "map_", "refl", "sharpness", "newmtl", "illum"];
        prop_assume!(!is_known.iter().any(|known| word.starts_with(known)));
        let mtl = format!("newmtl a\n{}{word} 1 2\n", "Kd 1 1 1\n".repeat(before));
        let loaded = read(&format!("{CORNERS}{COORDINATES}{SQUARE}"), &mtl);
        let expected = format!("m.mtl:{}: keyword `{word}` is not read; 1 such lines skipped", before + 2);
        prop_assert_eq!(lines(&loaded), [expected]);
    }
}

#[test]
fn images_of_both_formats_have_one_limit() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    // Nothing of it is on the disk.
    let large = std::fs::File::create(folder.path().join("large.png")).unwrap();
    large.set_len((256 << 20) + 1).unwrap();
    put("m.mtl", "newmtl a\nmap_Kd large.png\n");
    put(
        "s.obj",
        &format!("mtllib m.mtl\n{CORNERS}{COORDINATES}{SQUARE}"),
    );
    put(
        "s.gltf",
        r#"{"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
        "materials": [{"emissiveTexture": {"index": 0}}], "textures": [{"source": 0}],
        "images": [{"uri": "large.png"}],
        "accessors": [{"bufferView": 0, "componentType": 5121, "type": "VEC3", "count": 3}],
        "bufferViews": [{"buffer": 0, "byteLength": 9}],
        "buffers": [{"byteLength": 9, "uri": "data:;base64,AAAAAQAAAAEA"}]}"#,
    );
    for name in ["s.obj", "s.gltf"] {
        let loaded = load(folder.path().join(name), CleanOptions::default()).unwrap();
        let lines = lines(&loaded);
        let why =
            "the texture is not used: large.png: it has more than 268435456 bytes: make it smaller";
        assert!(lines[0].contains(why) && lines.len() == 1, "{lines:?}");
    }
}
