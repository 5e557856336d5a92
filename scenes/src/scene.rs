//! A scene: indexed triangles and their materials.
//!
//! Invariant of every [`Scene`]: each vertex index and each material index is
//! in range, and there is one material index per triangle. Textures that
//! materials name are there, with coordinates for each triangle. Normals are
//! those of each triangle or there are none.

use crate::colours::{self, CornerColours};
use crate::{Bounds, Lights, Material, SceneCamera, SceneError, Texturing, hash, normals};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Triangles with materials, and the cameras and lights of its file. Directions follow the y-up
/// convention.
///
/// Positions are relative to [`offset`](Self::offset), which is 0 unless 32-bit floats lose details
/// so far from the origin. Cameras and lights are in the file's coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    name: String,
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    materials: Vec<Material>,
    material_of: Vec<u32>,
    texturing: Texturing,
    normals: Vec<[Vec3; 3]>,
    colours: Vec<CornerColours>,
    faces: Vec<u32>,
    cameras: Vec<SceneCamera>,
    lights: Lights,
    offset: DVec3,
}

/// The parts of a scene.
pub(crate) struct Parts {
    pub name: String,
    pub vertices: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    pub materials: Vec<Material>,
    /// For each triangle.
    pub material_of: Vec<u32>,
    pub texturing: Texturing,
    /// For each triangle, or empty.
    pub normals: Vec<[Vec3; 3]>,
    /// For each triangle, or empty.
    pub colours: Vec<CornerColours>,
    /// For each triangle, or empty: the face of the file.
    pub faces: Vec<u32>,
    pub cameras: Vec<SceneCamera>,
    pub lights: Lights,
    pub offset: DVec3,
}

impl Scene {
    /// A scene without textures and normals from its parts; `material_of` has one index per
    /// triangle.
    ///
    /// # Errors
    /// [`SceneError::Inconsistent`] or [`SceneError::MaterialCount`] where an
    /// index is out of range or the counts differ, [`SceneError::Textures`] where a
    /// material names a texture.
    pub fn new(
        name: impl Into<String>,
        vertices: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
        materials: Vec<Material>,
        material_of: Vec<u32>,
    ) -> Result<Scene, SceneError> {
        Scene::from_parts(Parts {
            name: name.into(),
            vertices,
            triangles,
            materials,
            material_of,
            texturing: Texturing::default(),
            normals: Vec::new(),
            colours: Vec::new(),
            faces: Vec::new(),
            cameras: Vec::new(),
            lights: Lights::default(),
            offset: DVec3::ZERO,
        })
    }

    /// This scene with textures in place of those that it has. Its materials become `materials`,
    /// as many as before, which may name them.
    ///
    /// # Errors
    /// [`SceneError::Textures`] where something that is named is not there, an image is empty or
    /// too large, or coordinates are no numbers up to
    /// [`MAX_TEXTURE_COORDINATE`](crate::MAX_TEXTURE_COORDINATE);
    /// [`SceneError::Inconsistent`] where a material is missing.
    pub fn textured(
        self,
        materials: Vec<Material>,
        texturing: Texturing,
    ) -> Result<Scene, SceneError> {
        Scene::from_parts(Parts {
            materials,
            texturing,
            ..self.into_parts()
        })
    }

    /// This scene with these normals in place of those that it has: of the corners of each
    /// triangle, in the order of its vertices, or none at all. Each has length 1, or length 0 where
    /// the triangle's own is meant.
    ///
    /// # Errors
    /// [`SceneError::Normals`] where the count or a length is another.
    pub fn with_normals(self, normals: Vec<[Vec3; 3]>) -> Result<Scene, SceneError> {
        Scene::from_parts(Parts {
            normals,
            ..self.into_parts()
        })
    }

    /// This scene with these colours in place of those that it has: of the corners of each
    /// triangle, in the order of its vertices, or none at all. They are linear RGB, which scales
    /// the diffuse colour of materials, and alpha, which scales their opacity, from 0 to 1.
    ///
    /// # Errors
    /// [`SceneError::Colours`] where the count is another or a number is out of range.
    pub fn with_colours(self, colours: Vec<CornerColours>) -> Result<Scene, SceneError> {
        Scene::from_parts(Parts {
            colours,
            ..self.into_parts()
        })
    }

    /// This scene with the face of each triangle.
    pub(crate) fn with_faces(self, faces: Vec<u32>) -> Scene {
        Scene { faces, ..self }
    }

    /// A scene from [`into_parts`](Self::into_parts).
    ///
    /// # Errors
    /// Those of [`new`](Self::new), [`textured`](Self::textured),
    /// [`with_normals`](Self::with_normals) and [`with_colours`](Self::with_colours).
    pub(crate) fn from_parts(parts: Parts) -> Result<Scene, SceneError> {
        let Parts {
            name,
            vertices,
            triangles,
            materials,
            material_of,
            texturing,
            normals,
            colours,
            faces,
            cameras,
            lights,
            offset,
        } = parts;
        if material_of.len() != triangles.len() {
            return Err(SceneError::MaterialCount {
                name,
                triangles: triangles.len(),
                indices: material_of.len(),
            });
        }
        for (triangle, (corners, &material)) in triangles.iter().zip(&material_of).enumerate() {
            let bad_vertex = corners
                .iter()
                .copied()
                .find(|&v| v as usize >= vertices.len());
            let (what, index, count) = match bad_vertex {
                Some(vertex) => ("vertex", vertex, vertices.len()),
                None if material as usize >= materials.len() => {
                    ("material", material, materials.len())
                }
                None => continue,
            };
            return Err(SceneError::Inconsistent {
                name,
                triangle,
                what,
                index,
                count,
            });
        }
        if let Some(problem) = texturing.fault(triangles.len(), &materials) {
            return Err(SceneError::Textures { name, problem });
        }
        if let Some(problem) = normals::fault(&normals, triangles.len()) {
            return Err(SceneError::Normals { name, problem });
        }
        if let Some(problem) = colours::fault(&colours, triangles.len()) {
            return Err(SceneError::Colours { name, problem });
        }
        Ok(Scene {
            name,
            vertices,
            triangles,
            materials,
            material_of,
            texturing,
            normals,
            colours,
            faces,
            cameras,
            lights,
            offset,
        })
    }

    /// A scene of loose triangles, all of the default material.
    ///
    /// # Panics
    /// With more than `u32::MAX / 3` triangles.
    pub fn from_triangles(name: impl Into<String>, triangles: &[[Vec3; 3]]) -> Scene {
        let count = u32::try_from(triangles.len() * 3).expect("vertex indices fit in 32 bits") / 3;
        Scene {
            name: name.into(),
            vertices: triangles.as_flattened().to_vec(),
            triangles: (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
            materials: vec![Material::default()],
            material_of: vec![0; triangles.len()],
            texturing: Texturing::default(),
            normals: Vec::new(),
            colours: Vec::new(),
            faces: Vec::new(),
            cameras: Vec::new(),
            lights: Lights::default(),
            offset: DVec3::ZERO,
        }
    }

    /// Name: the file's stem or the generator's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of triangles.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Whether there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// Vertex positions; some may be unused, equal positions may repeat.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Per triangle, three indices into [`vertices`](Self::vertices).
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The materials.
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// Per triangle, an index into [`materials`](Self::materials).
    pub fn material_of(&self) -> &[u32] {
        &self.material_of
    }

    /// The textures that materials name, and coordinates.
    pub fn texturing(&self) -> &Texturing {
        &self.texturing
    }

    /// Per triangle, the normals of its corners, of length 1, or 0 where the triangle's own is
    /// meant; empty where all triangles are flat.
    pub fn normals(&self) -> &[[Vec3; 3]] {
        &self.normals
    }

    /// Per triangle, the colours of its corners, linear RGB and alpha from 0 to 1, by which diffuse
    /// colours and opacities are multiplied; empty where all are white.
    pub fn colours(&self) -> &[CornerColours] {
        &self.colours
    }

    /// The number of the face in the scene's file that a triangle is of, if it was asked for by
    /// [`CleanOptions::keep_faces`](crate::CleanOptions::keep_faces). Faces count from 0 in the
    /// order of the file: the `f` lines of OBJ; the faces, then the strips of PLY; the triangles of
    /// glTF. A scene that is no file's has the triangles before cleaning.
    ///
    /// ```
    /// use heapwood_scenes::{CleanOptions, read_obj};
    ///
    /// let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 2\nf 1 2 3 4\n";
    /// let options = CleanOptions { keep_faces: true, ..CleanOptions::default() };
    /// let no_library = |_: &str| Err(String::new());
    /// let scene = read_obj("square.obj", text.into(), no_library, options)?.scene;
    /// assert_eq!([scene.face(0), scene.face(1), scene.face(2)], [Some(1), Some(1), None]);
    /// # Ok::<(), heapwood_scenes::SceneError>(())
    /// ```
    pub fn face(&self, triangle: u32) -> Option<u32> {
        self.faces.get(triangle as usize).copied()
    }

    /// Cameras that the scene's file has, in its order.
    pub fn cameras(&self) -> &[SceneCamera] {
        &self.cameras
    }

    /// Lights that the scene's file has and no triangle emits.
    pub fn lights(&self) -> &Lights {
        &self.lights
    }

    /// This scene with these lights in place of its own.
    pub fn with_lights(self, lights: Lights) -> Scene {
        Scene { lights, ..self }
    }

    /// The offset from positions to the file's coordinates, in the file's unit.
    pub fn offset(&self) -> DVec3 {
        self.offset
    }

    /// This scene where `offset` is added to its positions for the file's coordinates.
    pub fn with_offset(self, offset: DVec3) -> Scene {
        Scene { offset, ..self }
    }

    /// The corner positions of one triangle.
    ///
    /// # Panics
    /// If `triangle` is not below [`len`](Self::len).
    pub fn triangle(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|v| self.vertices[v as usize])
    }

    /// The corner positions of every triangle, in order.
    pub fn positions(&self) -> Vec<[Vec3; 3]> {
        self.triangles
            .par_iter()
            .map(|corners| corners.map(|v| self.vertices[v as usize]))
            .collect()
    }

    /// The box around all triangles; empty for a scene without any.
    pub fn bounds(&self) -> Bounds {
        self.triangles
            .par_iter()
            .map(|corners| Bounds::of(corners.map(|v| self.vertices[v as usize])))
            .reduce(|| Bounds::EMPTY, Bounds::union)
    }

    /// Fingerprint of the triangle positions in order: 64-bit FNV-1a over the
    /// nine little-endian `f32` of each triangle, and the three `f64` of the offset unless it is 0.
    /// Materials, textures, normals and colours do not enter.
    pub fn input_hash(&self) -> u64 {
        hash::of_triangles((0..self.len()).map(|t| self.triangle(t)), self.offset)
    }

    /// This scene under another name.
    pub fn renamed(self, name: impl Into<String>) -> Scene {
        Scene {
            name: name.into(),
            ..self
        }
    }

    /// All of it.
    pub(crate) fn into_parts(self) -> Parts {
        Parts {
            name: self.name,
            vertices: self.vertices,
            triangles: self.triangles,
            materials: self.materials,
            material_of: self.material_of,
            texturing: self.texturing,
            normals: self.normals,
            colours: self.colours,
            faces: self.faces,
            cameras: self.cameras,
            lights: self.lights,
            offset: self.offset,
        }
    }
}

#[cfg(test)]
mod tests;
