//! OBJ files, libraries and textures as programs of all systems write and name them, compressed
//! files, and files of other formats.

use heapwood_scenes::{CleanOptions, Loaded, SceneError, load};
use std::fs;
use std::path::{Path, PathBuf};

const CORNERS: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
const RED: &str = "newmtl red\nKd 1 0 0\n";

fn put(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, content).unwrap();
    path
}

fn read(path: &Path) -> Result<Loaded, SceneError> {
    load(path, CleanOptions::default())
}

fn refusal(folder: &Path, content: impl AsRef<[u8]>) -> String {
    let message = read(&put(folder, "in.obj", content))
        .unwrap_err()
        .to_string();
    assert!(!message.contains('\n'), "{message}");
    message.replace(&folder.display().to_string(), ".")
}

fn lines(loaded: &Loaded) -> Vec<String> {
    loaded.warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn libraries_are_found_by_every_name() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "sub/a b.mtl", RED);
    put(folder.path(), "c.mtl", RED);
    for name in [
        "sub/a b.mtl",
        r".\sub\a b.mtl",
        "\"sub/a b.mtl\"",
        "\"sub\\a b.mtl\"",
        "sub/a%20b.mtl",
        r"C:\Users\x\c.mtl",
        "/home/x/c.mtl",
        "C.MTL",
    ] {
        let text = format!("mtllib {name}\nusemtl red\n{CORNERS}f 1 2 3 4\n");
        let loaded = read(&put(folder.path(), "in.obj", text)).unwrap();
        assert_eq!(lines(&loaded), [""; 0], "{name}");
        assert_eq!(
            loaded.scene.materials()[0].diffuse.to_array(),
            [1.0, 0.0, 0.0]
        );
    }
    // Several libraries in a line, one of them missing.
    let text = format!("mtllib \"d e.mtl\" c.mtl\nusemtl red\n{CORNERS}f 1 2 3 4\n");
    let loaded = read(&put(folder.path(), "in.obj", text)).unwrap();
    assert_eq!(lines(&loaded).len(), 1);
    assert!(lines(&loaded)[0].contains("material library d e.mtl is not used: "));
    assert_eq!(
        loaded.scene.materials()[0].diffuse.to_array(),
        [1.0, 0.0, 0.0]
    );
}

#[test]
fn textures_are_found_by_every_name_and_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let texel = image::RgbImage::from_pixel(1, 1, image::Rgb([255, 0, 0]));
    fs::create_dir(folder.path().join("maps")).unwrap();
    for name in ["maps/my tex.png", "t.bmp", "t.tga", "t.webp", "t.png"] {
        texel.save(folder.path().join(name)).unwrap();
    }
    for map in [
        "t.png -s 1 1 1",
        "\"t.png\"",
        "-s 1 1 1 \"maps/my tex.png\" -clamp on",
        "maps/my%20tex.png",
        r"maps\my tex.png",
        r"D:\project\t.png",
        "/home/x/t.png",
        "T.PNG",
        "t.bmp",
        "t.tga",
        "t.webp",
    ] {
        put(
            folder.path(),
            "a.mtl",
            format!("newmtl m\nKd 1 1 1\nmap_Kd {map}\n"),
        );
        let text =
            format!("mtllib a.mtl\nusemtl m\n{CORNERS}vt 0 0\nvt 1 0\nvt 1 1\nf 1/1 2/2 3/3\n");
        let loaded = read(&put(folder.path(), "in.obj", text)).unwrap();
        assert_eq!(lines(&loaded), [""; 0], "{map}");
        assert_eq!(
            loaded.scene.texturing().images[0].texels,
            [[255, 0, 0, 255]]
        );
    }
}

#[test]
fn compressed_and_wide_files_are_read_or_named() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{CORNERS}f 1 2 3 4\n");
    let marked = format!("\u{feff}{text}");
    let wide: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let path = put(folder.path(), "in.obj", wide);
    assert_eq!(read(&path).unwrap().scene.len(), 2);
    let library: Vec<u8> = format!("\u{feff}{RED}")
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    put(folder.path(), "a.mtl", library);
    let path = put(
        folder.path(),
        "in.obj",
        format!("mtllib a.mtl\nusemtl red\n{text}"),
    );
    let loaded = read(&path).unwrap();
    assert_eq!(lines(&loaded), [""; 0]);
    assert_eq!(
        loaded.scene.materials()[0].diffuse.to_array(),
        [1.0, 0.0, 0.0]
    );
    let message = refusal(folder.path(), b"PK\x03\x04\x14\0\0\0\x08\0");
    assert_eq!(
        message,
        "./in.obj is packed as zip, which is not read: unpack it first"
    );
    let message = refusal(folder.path(), b"\x28\xb5\x2f\xfd\0\0");
    assert!(
        message.starts_with("./in.obj is damaged zstd: "),
        "{message}"
    );
}

#[test]
fn files_of_other_formats_and_without_faces_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut stl = vec![b' '; 84];
    stl[80..].copy_from_slice(&[1, 0, 0, 0]);
    stl.extend([0; 50]);
    for (content, expected) in [
        (
            &b"solid x\nfacet normal 0 0 1\n"[..],
            "is an STL file: only OBJ, PLY and glTF",
        ),
        (&stl, "is a binary STL file: only OBJ, PLY and glTF"),
        (b"Kaydara FBX Binary  \0\x1a\0", "is an FBX file: only"),
        (b"OFF\n3 1 0\n", "is an OFF file: only"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is a PNG image: only"),
        (
            b"v 0 0 0\nv 1 0 0\np 1\nl 1 2\n",
            "has no triangles: 2 vertices and 2 points, lines and curves make no face",
        ),
        (b"# nothing\n", "has no triangles: no face was found"),
    ] {
        let message = refusal(folder.path(), content);
        assert!(
            message.starts_with("./in.obj ") && message.contains(expected),
            "{message}"
        );
    }
}
