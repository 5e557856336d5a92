//! One scene of the meshes that `tobj` makes, with what a pass of our own has read for the corners
//! of their faces.

use super::faces;
use super::normals::Normals;
use super::scan::Scan;
use crate::colours::{self, Encoded, WHITE, visible};
use crate::normals::completed;
use crate::polygon::Fans;
use crate::scene::Parts;
use crate::{Lights, Material, Texturing, Warning};
use glam::{DVec3, Vec3};

/// Attributes of the corners of all faces, which `tobj` leaves in order.
pub(super) struct Corners {
    pub coordinates: Option<Vec<[f32; 2]>>,
    pub normals: Option<Normals>,
    pub colours: Option<Vec<[f32; 4]>>,
}

/// The colours of the corners of all faces, if there are any, and what there is to say about them.
pub(super) fn colours(name: &str, scan: &Scan) -> (Option<Vec<[f32; 4]>>, Option<Warning>) {
    let Some(&(_, line, _)) = scan.colours.first() else {
        return (None, None);
    };
    let numbers = scan.colours.iter().flat_map(|(.., colour)| *colour);
    let encoded = Encoded::floats(numbers);
    let mut of_vertices = vec![WHITE; scan.vertex_count];
    let (mut faulty, mut first) = (0, line);
    for &(vertex, line, colour) in &scan.colours {
        let (colour, is_faulty) = encoded.colour(colour);
        of_vertices[vertex] = colour;
        if is_faulty {
            first = if faulty == 0 { line } else { first };
            faulty += 1;
        }
    }
    let corners = faces::corners(&scan.body).into_iter();
    let of_corners = corners.map(|vertex| of_vertices[vertex as usize]);
    (
        Some(of_corners.collect()),
        colours::warning(name, faulty, Some(first)),
    )
}

/// One scene from the meshes that `tobj` makes of groups and materials.
pub(super) fn assemble(
    name: &str,
    models: Vec<tobj::Model>,
    mut materials: Vec<Material>,
    corners: &Corners,
    keep_faces: bool,
    fans: &mut Fans,
) -> Parts {
    let nameless = models
        .iter()
        .any(|m| m.mesh.material_id.is_none() && !m.mesh.indices.is_empty());
    let default = materials.len() as u32;
    if nameless {
        materials.push(match corners.colours {
            // Its grey would darken what has a colour of its own.
            Some(_) => Material::matt("default", Vec3::ONE),
            None => Material::default(),
        });
    }
    let sum = |count: fn(&tobj::Mesh) -> usize| models.iter().map(|m| count(&m.mesh)).sum();
    let mut vertices = Vec::with_capacity(sum(|mesh| mesh.positions.len() / 3));
    let mut triangles = Vec::with_capacity(sum(|mesh| mesh.indices.len() / 3));
    let mut material_of = Vec::with_capacity(triangles.capacity());
    let (mut coordinates, mut normals) = (Vec::new(), Vec::new());
    let (mut colours, mut face_of) = (Vec::new(), Vec::new());
    // Corners of the meshes before, and faces.
    let (mut before, mut faces) = (0, 0);
    for tobj::Model { mesh, .. } in models {
        let mut lay = |triangle: [usize; 3]| {
            let corners_of_file = triangle.map(|corner| before + corner);
            if let Some(all) = &corners.coordinates {
                coordinates.push(corners_of_file.map(|corner| all[corner]));
            }
            if let Some(all) = &corners.normals {
                normals.push(corners_of_file.map(|corner| all.of_corner(corner)));
            }
            if let Some(all) = &corners.colours {
                colours.push(corners_of_file.map(|corner| all[corner]));
            }
        };
        let base = vertices.len() as u32;
        vertices.extend(mesh.positions.chunks_exact(3).map(Vec3::from_slice));
        let position = |at: u32| vertices[at as usize];
        if mesh.face_arities.is_empty() {
            // All faces are triangles.
            let first = faces;
            faces += mesh.indices.len() / 3;
            if keep_faces {
                face_of.extend((first..faces).map(|face| face as u32));
            }
            let vertices = mesh.indices.as_chunks().0.iter();
            triangles.extend(vertices.map(|vertices: &[u32; 3]| vertices.map(|at| at + base)));
            (0..mesh.indices.len())
                .step_by(3)
                .for_each(|first| lay([first, first + 1, first + 2]));
        }
        // Corners of a face are divided by their numbers among those of the mesh.
        let (mut face, mut parts) = (Vec::new(), Vec::new());
        let mut first = 0;
        for &arity in &mesh.face_arities {
            face.clear();
            face.extend(first..first + arity);
            first += arity;
            parts.clear();
            let vertex = |corner: u32| mesh.indices[corner as usize] + base;
            fans.triangulate(faces, &face, |corner| position(vertex(corner)), &mut parts);
            if keep_faces {
                face_of.extend(parts.iter().map(|_| faces as u32));
            }
            faces += 1;
            triangles.extend(parts.iter().map(|corners| corners.map(vertex)));
            parts
                .iter()
                .for_each(|corners| lay(corners.map(|corner| corner as usize)));
        }
        before += mesh.indices.len();
        material_of.resize(
            triangles.len(),
            mesh.material_id.map_or(default, |id| id as u32),
        );
    }
    let normals = completed(normals, &triangles, &vertices);
    Parts {
        name: name.to_owned(),
        vertices,
        triangles,
        materials,
        material_of,
        texturing: Texturing {
            coordinates,
            ..Texturing::default()
        },
        normals,
        colours: visible(colours),
        faces: face_of,
        cameras: Vec::new(),
        lights: Lights::default(),
        offset: DVec3::ZERO,
    }
}
