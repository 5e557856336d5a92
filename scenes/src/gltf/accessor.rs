//! Numbers of accessors: strided views of bytes, sparse ones laid over them.

use super::buffer::Buffers;
use crate::error::GltfProblem;
use gltf_json::accessor::{Accessor, ComponentType, Type};
use gltf_json::validation::Checked;
use gltf_json::{Index, Root};

/// Reads accessors of one file.
pub(super) struct Accessors<'a> {
    pub root: &'a Root,
    pub buffers: Buffers<'a>,
}

/// How an accessor's elements lie in bytes.
#[derive(Clone, Copy)]
struct Layout {
    component: ComponentType,
    components: usize,
}

impl Layout {
    /// Bytes of an element.
    fn bytes(self) -> usize {
        self.components * size(self.component)
    }
}

impl<'a> Accessors<'a> {
    pub fn new(root: &'a Root, buffers: Buffers<'a>) -> Self {
        Self { root, buffers }
    }

    /// The accessor that `user` refers to.
    pub fn get(&self, index: Index<Accessor>, user: &str) -> Result<&'a Accessor, GltfProblem> {
        self.root.get(index).ok_or_else(|| GltfProblem::Missing {
            place: place(index),
            user: user.to_owned(),
        })
    }

    /// Positions: vectors of floats, or of integers as `KHR_mesh_quantization` has them.
    pub fn positions(
        &mut self,
        index: Index<Accessor>,
        user: &str,
    ) -> Result<Vec<[f32; 3]>, GltfProblem> {
        let accessor = self.get(index, user)?;
        let component = match (&accessor.type_, &accessor.component_type) {
            (Checked::Valid(Type::Vec3), Checked::Valid(of)) => of.0,
            _ => return Err(unfit(index, "is not of vectors of three numbers (VEC3)")),
        };
        if component == ComponentType::U32 {
            return Err(unfit(
                index,
                "has positions of 32-bit integers, which are not allowed",
            ));
        }
        self.vectors(index, accessor, component)
    }

    /// Normals: vectors of floats, or of integers as `KHR_mesh_quantization` has them.
    pub fn normals(
        &mut self,
        index: Index<Accessor>,
        user: &str,
    ) -> Result<Vec<[f32; 3]>, GltfProblem> {
        use ComponentType::{F32, I8, I16};
        let accessor = self.get(index, user)?;
        match (&accessor.type_, &accessor.component_type) {
            (Checked::Valid(Type::Vec3), Checked::Valid(of)) if [F32, I8, I16].contains(&of.0) => {
                self.vectors(index, accessor, of.0)
            }
            _ => Err(unfit(
                index,
                "is not of vectors (VEC3) of floats or of signed integers of 8 or 16 bits",
            )),
        }
    }

    /// Texture coordinates: pairs of floats, or of integers that may be normalized.
    pub fn coordinates(
        &mut self,
        index: Index<Accessor>,
        user: &str,
    ) -> Result<Vec<[f32; 2]>, GltfProblem> {
        let accessor = self.get(index, user)?;
        match (&accessor.type_, &accessor.component_type) {
            (Checked::Valid(Type::Vec2), Checked::Valid(of)) if of.0 != ComponentType::U32 => {
                self.vectors(index, accessor, of.0)
            }
            _ => Err(unfit(
                index,
                "is not of pairs (VEC2) of floats or of integers of 8 or 16 bits",
            )),
        }
    }

    /// Colours: vectors of three or four floats, or of normalized integers. Without a fourth, alpha
    /// is 1.
    pub fn colours(
        &mut self,
        index: Index<Accessor>,
        user: &str,
    ) -> Result<Vec<[f32; 4]>, GltfProblem> {
        use ComponentType::{F32, U8, U16};
        let accessor = self.get(index, user)?;
        let component = match &accessor.component_type {
            Checked::Valid(of) if of.0 == F32 => Some(F32),
            Checked::Valid(of) if accessor.normalized && [U8, U16].contains(&of.0) => Some(of.0),
            _ => None,
        };
        match (&accessor.type_, component) {
            (Checked::Valid(Type::Vec4), Some(component)) => {
                self.vectors(index, accessor, component)
            }
            (Checked::Valid(Type::Vec3), Some(component)) => {
                let opaque = self.vectors::<3>(index, accessor, component)?.into_iter();
                Ok(opaque
                    .map(|[red, green, blue]| [red, green, blue, 1.0])
                    .collect())
            }
            _ => Err(unfit(
                index,
                "is not of vectors (VEC3 or VEC4) of floats or of normalized unsigned integers of 8 or \
                 16 bits",
            )),
        }
    }

    /// Vectors of numbers of any type.
    fn vectors<const N: usize>(
        &mut self,
        index: Index<Accessor>,
        accessor: &Accessor,
        component: ComponentType,
    ) -> Result<Vec<[f32; N]>, GltfProblem> {
        let layout = Layout {
            component,
            components: N,
        };
        let size = size(component);
        let value = |bytes: &[u8]| match component {
            ComponentType::F32 => f32::from_bits(unsigned(bytes)),
            // -128 and -127 both stand for -1.
            _ if accessor.normalized => {
                (integer(component, bytes) as f32 / largest(component)).max(-1.0)
            }
            _ => integer(component, bytes) as f32,
        };
        let vector = |bytes: &[u8]| -> [f32; N] {
            std::array::from_fn(|axis| value(&bytes[axis * size..(axis + 1) * size]))
        };
        let mut values = Vec::new();
        self.elements(index, accessor, layout, &mut |bytes| {
            values.push(vector(bytes))
        })?;
        let sparse = self.sparse(index, accessor, layout)?;
        for (at, bytes) in sparse {
            values[at] = vector(&bytes);
        }
        Ok(values)
    }

    /// Indices of vertices: unsigned integers of any size.
    pub fn indices(&mut self, index: Index<Accessor>, user: &str) -> Result<Vec<u32>, GltfProblem> {
        let accessor = self.get(index, user)?;
        let component = match (&accessor.type_, &accessor.component_type) {
            (Checked::Valid(Type::Scalar), Checked::Valid(of)) => of.0,
            _ => return Err(unfit(index, "is not of single numbers (SCALAR)")),
        };
        use ComponentType::{U8, U16, U32};
        if ![U8, U16, U32].contains(&component) {
            return Err(unfit(index, "has indices that are not unsigned integers"));
        }
        let layout = Layout {
            component,
            components: 1,
        };
        let mut values = Vec::new();
        self.elements(index, accessor, layout, &mut |bytes| {
            values.push(unsigned(bytes))
        })?;
        let sparse = self.sparse(index, accessor, layout)?;
        for (at, bytes) in sparse {
            values[at] = unsigned(&bytes);
        }
        Ok(values)
    }

    /// Gives each element's bytes to `take`, in order; zeros where only sparse values are.
    fn elements(
        &mut self,
        index: Index<Accessor>,
        accessor: &Accessor,
        layout: Layout,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<(), GltfProblem> {
        let count = accessor.count.0;
        let Some(view) = accessor.buffer_view else {
            if accessor.sparse.is_none() {
                return Err(unfit(index, "has neither a bufferView nor sparse values"));
            }
            (0..count).for_each(|_| take(&[0; 16][..layout.bytes()]));
            return Ok(());
        };
        let (bytes, about) = self.buffers.view(view, &place(index))?;
        let stride = about.byte_stride.map_or(0, |stride| stride.0);
        let offset = accessor.byte_offset.map_or(0, |offset| offset.0);
        strided(bytes, offset, stride, count, layout.bytes(), take).map_err(|end| {
            GltfProblem::Range {
                place: place(index),
                end,
                what: format!("bufferViews[{view}]"),
                bytes: bytes.len() as u64,
            }
        })
    }

    /// Elements that stand in for others, with their numbers.
    fn sparse(
        &mut self,
        index: Index<Accessor>,
        accessor: &Accessor,
        layout: Layout,
    ) -> Result<Vec<(usize, Vec<u8>)>, GltfProblem> {
        let Some(sparse) = &accessor.sparse else {
            return Ok(Vec::new());
        };
        let Checked::Valid(of) = &sparse.indices.component_type else {
            return Err(unfit(
                index,
                "has sparse indices that are not unsigned integers",
            ));
        };
        let user = format!("{}.sparse", place(index));
        let mut read = |view, offset: u64, size: usize, take: &mut dyn FnMut(&[u8])| {
            let (bytes, _) = self.buffers.view(view, &user)?;
            strided(bytes, offset, 0, sparse.count.0, size, take).map_err(|end| {
                GltfProblem::Range {
                    place: user.clone(),
                    end,
                    what: format!("bufferViews[{view}]"),
                    bytes: bytes.len() as u64,
                }
            })
        };
        let (mut numbers, mut values) = (Vec::new(), Vec::new());
        let (indices, of_values) = (&sparse.indices, &sparse.values);
        read(
            indices.buffer_view,
            indices.byte_offset.0,
            size(of.0),
            &mut |bytes| {
                numbers.push(unsigned(bytes) as usize);
            },
        )?;
        read(
            of_values.buffer_view,
            of_values.byte_offset.0,
            layout.bytes(),
            &mut |bytes| {
                values.push(bytes.to_vec());
            },
        )?;
        if numbers
            .iter()
            .any(|&number| number as u64 >= accessor.count.0)
        {
            return Err(unfit(
                index,
                "has sparse indices that are not below its count",
            ));
        }
        Ok(numbers.into_iter().zip(values).collect())
    }
}

/// Gives the bytes of `count` elements to `take`; a stride of 0 is that of packed elements.
/// Fails with where they end if that is beyond the bytes.
fn strided(
    bytes: &[u8],
    offset: u64,
    stride: usize,
    count: u64,
    size: usize,
    take: &mut dyn FnMut(&[u8]),
) -> Result<(), u64> {
    let stride = if stride == 0 { size } else { stride };
    if count == 0 {
        return Ok(());
    }
    let before_last = (count - 1).saturating_mul(stride as u64);
    let end = offset
        .saturating_add(before_last)
        .saturating_add(size as u64);
    if end > bytes.len() as u64 {
        return Err(end);
    }
    let last = before_last as usize + offset as usize;
    let mut at = offset as usize;
    while at <= last {
        take(&bytes[at..at + size]);
        at += stride;
    }
    Ok(())
}

/// Bytes of a number.
fn size(component: ComponentType) -> usize {
    match component {
        ComponentType::I8 | ComponentType::U8 => 1,
        ComponentType::I16 | ComponentType::U16 => 2,
        ComponentType::U32 | ComponentType::F32 => 4,
    }
}

/// The integer that stands for 1 where integers are normalized.
fn largest(component: ComponentType) -> f32 {
    match component {
        ComponentType::I8 => 127.0,
        ComponentType::U8 => 255.0,
        ComponentType::I16 => 32767.0,
        ComponentType::U16 => 65535.0,
        ComponentType::U32 | ComponentType::F32 => 1.0,
    }
}

/// An unsigned integer of one, two or four bytes.
fn unsigned(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .rev()
        .fold(0, |value, &byte| value << 8 | u32::from(byte))
}

/// An integer of one or two bytes.
fn integer(component: ComponentType, bytes: &[u8]) -> i32 {
    let value = unsigned(bytes);
    match component {
        ComponentType::I8 => i32::from(value as u8 as i8),
        ComponentType::I16 => i32::from(value as u16 as i16),
        _ => value as i32,
    }
}

fn place(index: Index<Accessor>) -> String {
    format!("accessors[{index}]")
}

fn unfit(index: Index<Accessor>, fault: &'static str) -> GltfProblem {
    GltfProblem::Unfit {
        place: place(index),
        fault,
    }
}
