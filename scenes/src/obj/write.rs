//! OBJ and MTL out.
//!
//! Numbers are written with the fewest digits that read back as the same
//! `f32`, so a cleaned scene and its file have the same
//! [`input_hash`](Scene::input_hash). Coordinates are those of the scene's file:
//! read relative to the same offset, they have the same positions.

use super::mtl::REFRACTION;
use crate::{Material, Scene, SceneError};
use heapwood_files::{Output, stem};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes `scene` as OBJ text. With `library` the text names that material
/// library and the material of each triangle, without it no materials.
///
/// # Errors
/// Those of `out`.
pub fn write_obj(scene: &Scene, library: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "# {}: {} triangles",
        one_line(scene.name()),
        scene.len()
    )?;
    if let Some(library) = library {
        writeln!(out, "mtllib {}", one_line(library))?;
    }
    let offset = scene.offset().to_array();
    for v in scene.vertices() {
        match offset {
            [0.0, 0.0, 0.0] => writeln!(out, "v {} {} {}", v.x, v.y, v.z)?,
            [dx, dy, dz] => {
                let [x, y, z] = [(v.x, dx), (v.y, dy), (v.z, dz)].map(absolute);
                writeln!(out, "v {x} {y} {z}")?;
            }
        }
    }
    let mut current = None;
    for (&[a, b, c], &material) in scene.triangles().iter().zip(scene.material_of()) {
        if library.is_some() && current != Some(material) {
            let name = &scene.materials()[material as usize].name;
            writeln!(out, "usemtl {}", one_line(name))?;
            current = Some(material);
        }
        let [a, b, c] = [a, b, c].map(|v| u64::from(v) + 1);
        writeln!(out, "f {a} {b} {c}")?;
    }
    Ok(())
}

/// A coordinate with an offset added, with the fewest decimals that read back as the same `f32`
/// relative to the offset.
fn absolute((relative, offset): (f32, f64)) -> String {
    /// Decimals of a double whose whole part has a digit.
    const MAX_DECIMALS: usize = 16;
    let value = f64::from(relative) + offset;
    let mut texts = (0..=MAX_DECIMALS).map(|decimals| format!("{value:.decimals$}"));
    let is_same = |text: &String| {
        let back = text.parse::<f64>().map(|back| (back - offset) as f32);
        back == Ok(relative)
    };
    texts.find(is_same).unwrap_or_else(|| value.to_string())
}

/// Writes the scene's materials as MTL text.
///
/// # Errors
/// Those of `out`.
pub fn write_mtl(scene: &Scene, out: &mut dyn Write) -> io::Result<()> {
    for material in scene.materials() {
        let colour = |c: glam::Vec3| format!("{} {} {}", c.x, c.y, c.z);
        writeln!(out, "newmtl {}", one_line(&material.name))?;
        writeln!(out, "Kd {}", colour(material.diffuse))?;
        writeln!(out, "Ks {}", colour(material.specular))?;
        writeln!(out, "Ke {}", colour(material.emission))?;
        writeln!(out, "Ns {}", material.shininess)?;
        writeln!(out, "d {}", material.opacity)?;
        write_optional(material, out)?;
    }
    Ok(())
}

/// Writes what is left out where it is the default.
fn write_optional(material: &Material, out: &mut dyn Write) -> io::Result<()> {
    let default = Material::default();
    if material.metallic != default.metallic {
        writeln!(out, "Pm {}", material.metallic)?;
    }
    if let Some(roughness) = material.roughness {
        writeln!(out, "Pr {roughness}")?;
    }
    if material.ior != default.ior {
        writeln!(out, "Ni {}", material.ior)?;
    }
    let transmission = material.transmission;
    if transmission != default.transmission {
        writeln!(out, "Tf {transmission} {transmission} {transmission}")?;
    }
    // Transmission is only read beside a model with refraction.
    let is_transmissive = transmission != default.transmission;
    let is_read = |illum: &u8| !is_transmissive || REFRACTION.contains(illum);
    let refraction = is_transmissive.then_some(REFRACTION[1]);
    if let Some(illum) = material.illum.filter(is_read).or(refraction) {
        writeln!(out, "illum {illum}")?;
    }
    Ok(())
}

/// Writes `scene` to an OBJ file, gzipped if `path` ends in `.gz`, and beside
/// it an MTL file of the same stem unless all is of the default material.
/// Each file is replaced as a whole or not at all, and none where the other
/// cannot be opened.
///
/// # Errors
/// [`SceneError::Write`].
pub fn save(scene: &Scene, path: impl AsRef<Path>) -> Result<(), SceneError> {
    let path = path.as_ref();
    let plain = scene.materials().iter().all(|m| *m == Material::default());
    let library = (!plain).then(|| library_name(path));
    let output = open(path)?;
    if let Some(library) = &library {
        let output = open(&path.with_file_name(library))?;
        write(output, |out| write_mtl(scene, out))?;
    }
    write(output, |out| write_obj(scene, library.as_deref(), out))
}

/// The files that [`save`] may write: the scene's and, where it has materials, their library's.
pub fn files_written(path: &Path) -> [PathBuf; 2] {
    [path.to_owned(), path.with_file_name(library_name(path))]
}

/// The material library of a scene's file.
fn library_name(path: &Path) -> String {
    format!("{}.mtl", stem(path))
}

fn open(path: &Path) -> Result<Output, SceneError> {
    Output::open(path).map_err(|cause| SceneError::writing(path, cause))
}

fn write(
    output: Output,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), SceneError> {
    let path = output.path().to_owned();
    let written = output.write_by_suffix(fill);
    written.map_err(|cause| SceneError::writing(&path, cause))
}

/// `name` without the line breaks that would end its line early.
fn one_line(name: &str) -> String {
    name.replace(['\n', '\r'], " ")
}
