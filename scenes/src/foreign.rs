//! Formats of scenes, and of what is taken for a scene, that are not read, by how their files
//! begin: an error that names the format says more than one about a line.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// First bytes of a file, and what it is.
const FORMATS: [(&[u8], &str); 25] = [
    (b"solid ", "an STL file"),
    (b"Kaydara FBX", "an FBX file"),
    (b"; FBX", "an FBX file"),
    (b"OFF", "an OFF file"),
    (b"COFF", "an OFF file"),
    (b"NOFF", "an OFF file"),
    (b"<?xml", "an XML file, of COLLADA or X3D perhaps"),
    (b"<COLLADA", "a COLLADA file"),
    (b"<X3D", "an X3D file"),
    (b"#VRML", "a VRML file"),
    (b"#X3D", "an X3D file"),
    (b"#usda", "a USD file"),
    (b"PXR-USDC", "a USD file"),
    (b"BLENDER", "a Blender file"),
    (b"ISO-10303-21", "a STEP file"),
    (b"# vtk DataFile", "a VTK file"),
    (b"$MeshFormat", "a Gmsh file"),
    (b"# .PCD", "a PCD file, which has points and no faces"),
    (b"LASF", "a LAS file, which has points and no faces"),
    (b"ASTM-E57", "an E57 file, which has points and no faces"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"v/1\x01", "an OpenEXR image"),
    (b"#?RADIANCE", "a Radiance image"),
    (b"%PDF", "a PDF file"),
];

/// Bytes of binary STL before the triangles; the last four hold the number of triangles.
const STL_HEADER: usize = 84;
/// Bytes of a triangle of binary STL.
const STL_TRIANGLE: u64 = 50;

/// The format of a file with these bytes, if it is a known one that heapwood does not read.
pub(crate) fn format(bytes: &[u8]) -> Option<&'static str> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut formats = FORMATS.iter();
    let found = formats.find(|(start, _)| bytes.starts_with(start) || text.starts_with(start));
    found.map(|(_, name)| *name)
}

/// The format of a file of binary content, if it is a known one that heapwood does not read.
pub(crate) fn format_of_file(path: &Path) -> Option<&'static str> {
    // A pipe has been read already.
    if !path.is_file() {
        return None;
    }
    let file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    let mut head = Vec::new();
    file.take(STL_HEADER as u64).read_to_end(&mut head).ok()?;
    format(&head).or_else(|| is_stl(&head, length).then_some("a binary STL file"))
}

/// Whether a file that begins with these bytes has the length of binary STL, which begins with
/// anything.
fn is_stl(head: &[u8], length: u64) -> bool {
    let Some((_, [a, b, c, d])) = head.split_last_chunk() else {
        return false;
    };
    let count = u64::from(u32::from_le_bytes([*a, *b, *c, *d]));
    head.len() == STL_HEADER && count > 0 && length == STL_HEADER as u64 + count * STL_TRIANGLE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_first_bytes() {
        assert_eq!(format(b"solid x\nfacet"), Some("an STL file"));
        assert_eq!(
            format(b"\xef\xbb\xbf<?xml version"),
            Some("an XML file, of COLLADA or X3D perhaps")
        );
        for obj in [
            &b""[..],
            b"# OFF\nv 0 0 0\n",
            b"o solid\n",
            b"v 0 0 0\n",
            b"solidity",
        ] {
            assert_eq!(format(obj), None);
        }
    }

    #[test]
    fn binary_stl_is_told_by_its_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.stl");
        let mut file = vec![0; STL_HEADER];
        file[80] = 2;
        file.extend([0; 100]);
        for (length, expected) in [
            (184, Some("a binary STL file")),
            (183, None),
            (84, None),
            (10, None),
        ] {
            std::fs::write(&path, &file[..length]).unwrap();
            assert_eq!(format_of_file(&path), expected, "{length}");
        }
        assert_eq!(format_of_file(folder.path()), None);
    }
}
