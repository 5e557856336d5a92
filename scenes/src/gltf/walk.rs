//! The walk over nodes: meshes where their nodes place them.

mod vertices;

use super::accessor::Accessors;
use super::attribute::LeftOut;
use super::buffer::Buffers;
use super::cameras_and_lights::CamerasAndLights;
use super::colours::{self, Colours};
use super::normals::{self, Normals};
use super::texture;
use super::transform::{Affine, Transform};
use crate::MAX_FILE_BYTES;
use crate::error::GltfProblem;
use crate::precision::Loss;
use crate::texture::{NO_COORDINATES, sound};
use glam::{DVec3, Vec3};
use gltf_json::mesh::{Mode, Primitive, Semantic};
use gltf_json::validation::Checked;
use gltf_json::{Index, Node, Root};
use std::collections::HashSet;
use vertices::Unsound;

/// Bytes of a vertex, and of a triangle with its material, once they are read.
const VERTEX_BYTES: u64 = 12;
const TRIANGLE_BYTES: u64 = 16;
/// More bytes of a vertex, and of a triangle, with texture coordinates.
const COORDINATE_BYTES: u64 = 8;
const CORNER_BYTES: u64 = 24;

/// The objects that the nodes walked so far have placed.
pub(super) struct Walk<'a> {
    root: &'a Root,
    pub accessors: Accessors<'a>,
    /// The transform of each node.
    transforms: &'a [Transform],
    /// The material of primitives without one.
    default: u32,
    /// The origin of positions, in the coordinates of the file.
    pub offset: DVec3,
    pub vertices: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    pub material_of: Vec<u32>,
    /// Texture coordinates of the first vertices, up to the last one that has some.
    pub coordinates: Vec<[f32; 2]>,
    /// Texture coordinates that cannot be read.
    pub left_out: LeftOut,
    pub normals: Normals,
    pub colours: Colours,
    pub cameras_and_lights: CamerasAndLights,
    /// Primitives of points and lines.
    pub without_area: usize,
    /// Vertices that no triangle uses and that cannot be rendered.
    pub unsound: usize,
    /// Triangles that their nodes place too far from the origin.
    pub loss: Loss,
    /// Bytes that meshes may still take. Instances cost a file next to nothing.
    left: u64,
}

/// A mesh's primitive, and the node that places it.
struct Placed<'a> {
    primitive: &'a Primitive,
    /// Where it is in the JSON.
    place: String,
    node: usize,
    map: Affine,
}

impl<'a> Walk<'a> {
    pub fn new(
        root: &'a Root,
        buffers: Buffers<'a>,
        transforms: &'a [Transform],
        offset: DVec3,
    ) -> Self {
        Self {
            root,
            accessors: Accessors::new(root, buffers),
            transforms,
            default: root.materials.len() as u32,
            offset,
            vertices: Vec::new(),
            triangles: Vec::new(),
            material_of: Vec::new(),
            coordinates: Vec::new(),
            left_out: LeftOut::default(),
            normals: Normals::default(),
            colours: Colours::default(),
            cameras_and_lights: CamerasAndLights::default(),
            without_area: 0,
            unsound: 0,
            loss: Loss::default(),
            left: MAX_FILE_BYTES,
        }
    }

    /// Places the meshes of the default scene: the one that the file names, or else the first, or
    /// else all nodes.
    pub fn default_scene(&mut self) -> Result<(), GltfProblem> {
        let root = self.root;
        let roots: Vec<Index<Node>> = match (root.scene, root.scenes.first()) {
            (Some(index), _) => match root.get(index) {
                Some(scene) => scene.nodes.clone(),
                None => return Err(missing(format!("scenes[{index}]"), "scene")),
            },
            (None, Some(scene)) => scene.nodes.clone(),
            (None, None) => orphans(root),
        };
        let mut was_reached = vec![false; root.nodes.len()];
        // In the order of the file: what is walked next is at the end.
        let mut open: Vec<(Index<Node>, Affine, Option<usize>)> = Vec::new();
        let below = |node: &Index<Node>| (*node, Affine::IDENTITY, None);
        open.extend(roots.iter().rev().map(below));
        while let Some((index, parent_map, parent)) = open.pop() {
            let number = index.value();
            let node = root.get(index).ok_or_else(|| {
                let user = parent.map_or("the scene".to_owned(), |node| format!("nodes[{node}]"));
                missing(format!("nodes[{number}]"), &user)
            })?;
            if std::mem::replace(&mut was_reached[number], true) {
                return Err(GltfProblem::Twice(number));
            }
            let map = parent_map.after(Affine::of(number, &self.transforms[number])?, number)?;
            self.cameras_and_lights.add(root, number, node, &map);
            if let Some(mesh) = node.mesh {
                self.mesh(number, mesh, map)?;
            }
            let children = node.children.iter().flatten().rev();
            open.extend(children.map(|child| (*child, map, Some(number))));
        }
        Ok(())
    }

    fn mesh(
        &mut self,
        node: usize,
        index: Index<gltf_json::Mesh>,
        map: Affine,
    ) -> Result<(), GltfProblem> {
        let mesh = self
            .root
            .get(index)
            .ok_or_else(|| missing(format!("meshes[{index}]"), &format!("nodes[{node}]")))?;
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            self.primitive(&Placed {
                primitive,
                place: format!("meshes[{index}].primitives[{number}]"),
                node,
                map,
            })?;
        }
        Ok(())
    }

    fn primitive(&mut self, placed: &Placed) -> Result<(), GltfProblem> {
        let Placed {
            primitive, place, ..
        } = placed;
        let unfit = |fault| GltfProblem::Unfit {
            place: place.clone(),
            fault,
        };
        let mode = match primitive.mode {
            Checked::Valid(Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip) => {
                self.without_area += 1;
                return Ok(());
            }
            Checked::Valid(mode) => mode,
            Checked::Invalid => return Err(unfit("has a mode that is not one of 0 to 6")),
        };
        let positions = primitive
            .attributes
            .get(&Checked::Valid(Semantic::Positions));
        let positions = *positions.ok_or_else(|| unfit("has no POSITION: export it with one"))?;
        let material = match primitive.material {
            None => self.default,
            Some(index) if index.value() < self.root.materials.len() => index.value() as u32,
            Some(index) => return Err(missing(format!("materials[{index}]"), place)),
        };

        // The bytes of the primitive are known before anything is allocated for it.
        let count = self.accessors.get(positions, place)?.count.0;
        let corners = match primitive.indices {
            Some(indices) => self.accessors.get(indices, place)?.count.0,
            None => count,
        };
        let triangles = match mode {
            Mode::Triangles => corners / 3,
            _ => corners.saturating_sub(2),
        };
        let bytes = (count.saturating_mul(VERTEX_BYTES))
            .saturating_add(triangles.saturating_mul(TRIANGLE_BYTES))
            .saturating_add(corners.saturating_mul(4));
        let textured = self.coordinates_of(primitive);
        let bytes = match textured {
            Some(_) => bytes
                .saturating_add(count.saturating_mul(COORDINATE_BYTES))
                .saturating_add(triangles.saturating_mul(CORNER_BYTES)),
            None => bytes,
        };
        let smooth = primitive.attributes.get(&Checked::Valid(Semantic::Normals));
        let bytes = match smooth {
            Some(_) => bytes
                .saturating_add(count.saturating_mul(normals::VERTEX_BYTES))
                .saturating_add(triangles.saturating_mul(normals::CORNER_BYTES)),
            None => bytes,
        };
        let coloured = primitive
            .attributes
            .get(&Checked::Valid(Semantic::Colors(0)));
        let bytes = match coloured {
            Some(_) => bytes
                .saturating_add(count.saturating_mul(colours::VERTEX_BYTES))
                .saturating_add(triangles.saturating_mul(colours::CORNER_BYTES)),
            None => bytes,
        };
        self.left = self
            .left
            .checked_sub(bytes)
            .ok_or(GltfProblem::TooLarge(MAX_FILE_BYTES))?;

        let base = self.vertices.len() as u32;
        let first = self.triangles.len();
        let found = self.place(placed, positions)?;
        let (count, unsound) = (found.positions.len(), found.unsound);
        if let Some(&index) = coloured {
            let range = base as usize..base as usize + count;
            self.colours.lay(&mut self.accessors, place, index, range);
        }
        if let Some(coordinates) = textured {
            self.lay(place, coordinates, base as usize, count);
        }
        if let Some(&index) = smooth {
            let range = base as usize..base as usize + count;
            let normals = &mut self.normals;
            normals.lay(&mut self.accessors, place, index, &placed.map, range);
        }
        let corners = match primitive.indices {
            Some(indices) => self.accessors.indices(indices, place)?,
            None => (0..count as u32).collect(),
        };
        if let Some(&index) = corners.iter().find(|&&index| index as usize >= count) {
            return Err(GltfProblem::IndexRange {
                place: place.clone(),
                index,
                count,
            });
        }
        if !unsound.is_empty() {
            let used: HashSet<u32> = corners.iter().copied().collect();
            let is_used = |unsound: &&Unsound| used.contains(&(unsound.vertex as u32));
            if let Some(unsound) = unsound.iter().find(is_used) {
                return Err(unsound.refusal(placed, positions));
            }
            self.unsound += unsound.len();
        }
        let is_mirrored = placed.map.mirrors();
        let mut add = |[a, b, c]: [u32; 3]| {
            let corners = if is_mirrored { [a, c, b] } else { [a, b, c] };
            self.triangles.push(corners.map(|corner| base + corner));
        };
        match mode {
            Mode::TriangleStrip => {
                let windows = corners.windows(3).enumerate();
                windows.for_each(|(number, w)| match number % 2 {
                    0 => add([w[0], w[1], w[2]]),
                    _ => add([w[0], w[2], w[1]]),
                });
            }
            Mode::TriangleFan => {
                let rest = corners.windows(2).skip(1);
                rest.for_each(|pair| add([pair[0], pair[1], corners[0]]));
            }
            _ if corners.len() % 3 != 0 => {
                return Err(unfit(
                    "has corners that are left over: triangles take three each",
                ));
            }
            _ => corners
                .as_chunks()
                .0
                .iter()
                .for_each(|&corners| add(corners)),
        }
        self.material_of.resize(self.triangles.len(), material);
        let triangles = &self.triangles[first..];
        // Where nothing is moved, positions are as the file has them.
        if self.offset != DVec3::ZERO || placed.map.point([0.0; 3]) != [0.0; 3] {
            let exact = |at: u32| {
                let position = found.positions[(at - base) as usize];
                placed.map.point(position.map(f64::from))
            };
            self.loss = self.loss.with(Loss::of(exact, triangles, self.offset));
        }
        Ok(())
    }

    /// The accessor of the coordinates that a primitive's textures take.
    fn coordinates_of(&self, primitive: &Primitive) -> Option<Index<gltf_json::Accessor>> {
        let material = self.root.get(primitive.material?)?;
        let set = Checked::Valid(Semantic::TexCoords(texture::set_of(material)?));
        primitive.attributes.get(&set).copied()
    }

    /// Appends the texture coordinates of the latest vertices, so many from `base` on.
    fn lay(&mut self, place: &str, index: Index<gltf_json::Accessor>, base: usize, count: usize) {
        let read = Accessors::coordinates;
        let asked = (place, index);
        let Some(found) = (self.left_out).or_elements(&mut self.accessors, asked, count, read)
        else {
            return;
        };
        self.coordinates.resize(base, NO_COORDINATES);
        // A NaN of the file is a fault, and no sign that there are none.
        let marked = |pair: [f32; 2]| match pair.iter().any(|number| number.is_nan()) {
            true => [f32::INFINITY; 2],
            false => pair,
        };
        self.coordinates.extend(found.into_iter().map(marked));
    }
}

/// The texture coordinates of triangles from those of vertices, and of how many vertices they are
/// unsound and became 0.
pub(super) fn of_triangles(
    coordinates: &[[f32; 2]],
    triangles: &[[u32; 3]],
) -> (Vec<[[f32; 2]; 3]>, usize) {
    let mut faulty = 0;
    let sound: Vec<[f32; 2]> = coordinates
        .iter()
        .map(|&pair| {
            if pair[0].is_nan() {
                return pair;
            }
            let (pair, is_faulty) = sound(pair);
            faulty += usize::from(is_faulty);
            pair
        })
        .collect();
    let of_vertex = |vertex: u32| {
        sound
            .get(vertex as usize)
            .copied()
            .unwrap_or(NO_COORDINATES)
    };
    let of_triangles = triangles.iter().map(|corners| corners.map(of_vertex));
    (of_triangles.collect(), faulty)
}

/// Nodes without a parent.
fn orphans(root: &Root) -> Vec<Index<Node>> {
    let mut has_parent = vec![false; root.nodes.len()];
    let children = root
        .nodes
        .iter()
        .flat_map(|node| node.children.iter().flatten());
    for child in children {
        if let Some(has_parent) = has_parent.get_mut(child.value()) {
            *has_parent = true;
        }
    }
    let numbers = (0..root.nodes.len()).filter(|&number| !has_parent[number]);
    numbers.map(|number| Index::new(number as u32)).collect()
}

fn missing(place: String, user: &str) -> GltfProblem {
    GltfProblem::Missing {
        place,
        user: user.to_owned(),
    }
}
