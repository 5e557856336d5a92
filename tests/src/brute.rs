//! Ground truth for traversal: every triangle tested, small trees built without
//! heuristics, and kernels run warp after warp.
//!
//! The trees are made to be awkward rather than fast: split planes go through
//! corners of triangles, planes and triangles coincide, and clipping rounds.

use heapwood_device::host::plain_kernel;
use heapwood_device::kdtree::node::Node;
use heapwood_device::kernel::PlainKernel;
use heapwood_device::launch::Call;
use heapwood_device::render::{
    Bounds, Hit, RAY_FLOATS, Ray, SceneArguments, Trace, TraceArguments, Triangle,
};
use heapwood_device::simt::{SCRATCH_BYTES, Solo, Warp};

use glam::Vec3;

/// A ray as in memory: origin, direction.
pub type RayFloats = [f32; RAY_FLOATS];

/// A box around triangles.
pub fn bounds_of(triangles: &[Triangle]) -> Bounds {
    let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for corner in triangles.iter().flatten() {
        min = min.min(Vec3::from_array(*corner));
        max = max.max(Vec3::from_array(*corner));
    }
    Bounds {
        min: min.to_array(),
        max: max.to_array(),
    }
}

/// The closest hit, by testing every triangle.
pub fn closest(triangles: &[Triangle], bounds: &Bounds, ray: &RayFloats) -> Hit {
    let [ox, oy, oz, dx, dy, dz] = *ray;
    let Some(ray) = Ray::new(Vec3::new(ox, oy, oz), Vec3::new(dx, dy, dz), bounds) else {
        return Hit::NONE;
    };
    let mut best = Hit::NONE;
    for (index, triangle) in triangles.iter().enumerate() {
        if let Some(t) = ray.hit(triangle) {
            best = best.or_closer(index as u32, t);
        }
    }
    best
}

/// How to build a tree.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// No node with this many references or fewer is split.
    pub leaf: usize,
    /// No node deeper than this is split.
    pub depth: usize,
    /// Whether triangles are clipped to their node, so that a leaf refers only to triangles that
    /// reach into it ("perfect splits").
    pub clip: bool,
}

impl Recipe {
    /// A deep tree.
    pub const DEEP: Self = Self {
        leaf: 1,
        depth: 24,
        clip: false,
    };
    /// A deep tree of clipped triangles.
    pub const CLIPPED: Self = Self {
        clip: true,
        ..Self::DEEP
    };
    /// A shallow tree of clipped triangles.
    pub const SHALLOW: Self = Self {
        leaf: 8,
        depth: 6,
        clip: true,
    };
    /// A lone leaf.
    pub const LEAF: Self = Self {
        leaf: 0,
        depth: 0,
        clip: false,
    };
}

/// A finished tree in memory.
#[derive(Debug)]
pub struct Built {
    /// In depth-first order.
    pub nodes: Vec<Node>,
    /// Triangle numbers that leaves refer to.
    pub references: Vec<u32>,
}

/// A triangle's part in a node.
#[derive(Clone)]
struct Piece {
    triangle: u32,
    corners: Vec<[f32; 3]>,
}

impl Piece {
    fn range(&self, axis: usize) -> (f32, f32) {
        self.corners
            .iter()
            .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), corner| {
                (low.min(corner[axis]), high.max(corner[axis]))
            })
    }

    /// The part on one side of a plane, by Sutherland and Hodgman's clipping,
    /// in `f32` with all its rounding.
    fn clipped(&self, axis: usize, position: f32, keep_below: bool) -> Piece {
        let keeps = |corner: &[f32; 3]| {
            if keep_below {
                corner[axis] <= position
            } else {
                corner[axis] >= position
            }
        };
        let mut corners = Vec::with_capacity(self.corners.len() + 1);
        for (index, p) in self.corners.iter().enumerate() {
            let q = &self.corners[(index + 1) % self.corners.len()];
            if keeps(p) {
                corners.push(*p);
            }
            if keeps(p) != keeps(q) {
                let part = (position - p[axis]) / (q[axis] - p[axis]);
                let mut cut = [0, 1, 2].map(|i| p[i] + (q[i] - p[i]) * part);
                cut[axis] = position;
                corners.push(cut);
            }
        }
        Piece {
            triangle: self.triangle,
            corners,
        }
    }
}

/// Builds a tree by median splits at corners of triangles.
pub fn build(triangles: &[Triangle], recipe: Recipe) -> Built {
    let pieces = triangles
        .iter()
        .enumerate()
        .map(|(index, corners)| Piece {
            triangle: index as u32,
            corners: corners.to_vec(),
        })
        .collect();
    let mut built = Built {
        nodes: Vec::new(),
        references: Vec::new(),
    };
    build_node(&mut built, pieces, recipe, 0);
    built
}

fn build_node(built: &mut Built, pieces: Vec<Piece>, recipe: Recipe, depth: usize) {
    let split = if pieces.len() <= recipe.leaf || depth == recipe.depth {
        None
    } else {
        (0..3).find_map(|turn| split(&pieces, recipe, (depth + turn) % 3))
    };
    let Some((axis, position, below, above)) = split else {
        let first = built.references.len() as u32;
        built.references.extend(pieces.iter().map(|p| p.triangle));
        let count = pieces.len() as u32;
        built.nodes.push(Node::leaf(first, count));
        return;
    };
    let index = built.nodes.len();
    built.nodes.push(Node::leaf(0, 0));
    build_node(built, below, recipe, depth + 1);
    let right = built.nodes.len() as u32;
    built.nodes[index] = Node::interior(axis as u32, position, right);
    build_node(built, above, recipe, depth + 1);
}

type Split = (usize, f32, Vec<Piece>, Vec<Piece>);

/// A split on `axis`, if one parts the pieces. A piece in the plane goes below.
fn split(pieces: &[Piece], recipe: Recipe, axis: usize) -> Option<Split> {
    let mut positions: Vec<f32> = pieces.iter().map(|piece| piece.range(axis).1).collect();
    positions.sort_by(f32::total_cmp);
    let position = positions[positions.len() / 2];
    let (mut below, mut above) = (Vec::new(), Vec::new());
    for piece in pieces {
        let (low, high) = piece.range(axis);
        let both = low < position && high > position;
        let part = |keep_below| {
            if both && recipe.clip {
                piece.clipped(axis, position, keep_below)
            } else {
                piece.clone()
            }
        };
        if high > position {
            above.push(part(false));
        }
        if low < position || high <= position {
            below.push(part(true));
        }
    }
    (below.len() < pieces.len() || above.len() < pieces.len())
        .then_some((axis, position, below, above))
}

/// Runs a kernel without an allocator, the warps one after another.
///
/// # Safety
///
/// The arguments satisfy the kernel's contract.
///
/// # Panics
///
/// If the kernel works over an allocator.
pub unsafe fn run_plain(call: Call, warps: u32) {
    let run = plain_kernel(call.kernel()).expect("a kernel that needs no allocator");
    let mut scratch = vec![0u128; SCRATCH_BYTES / size_of::<u128>()];
    for warp in 0..warps {
        // SAFETY: `scratch` is large and aligned enough, and the warps take
        // turns with it.
        let solo = unsafe { Solo::new(warp, warps, 0, scratch.as_mut_ptr().cast()) };
        // SAFETY: the caller's promise.
        unsafe { run(solo, call.args()) };
    }
}

/// A lane of a 32-lane warp for kernels whose lanes never talk: every
/// collective panics.
#[derive(Clone, Copy, Debug)]
pub struct LoneLane {
    /// The lane.
    pub lane: u32,
    /// The warp.
    pub warp: u32,
    /// Warps in the grid.
    pub warps: u32,
}

macro_rules! refuses {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        $(fn $name(self, $($argument: $type),*) -> $result {
            unreachable!(concat!(stringify!($name), " in a kernel of independent lanes"))
        })*
    };
}

// SAFETY: `run_lanes` gives each lane of each warp its numbers once, and whatever would need
// other lanes panics.
unsafe impl Warp for LoneLane {
    const LANES: u32 = 32;

    fn lane(self) -> u32 {
        self.lane
    }

    fn warp(self) -> u32 {
        self.warp
    }

    fn warps(self) -> u32 {
        self.warps
    }

    refuses! {
        processor() -> u32;
        converge() -> u32;
        ballot(_mask: u32, _predicate: bool) -> u32;
        sync(_mask: u32) -> ();
        shuffle(_mask: u32, _value: u32, _lane: u32) -> u32;
        all_shuffle_up(_value: u32, _delta: u32) -> u32;
        all_shuffle_xor(_value: u32, _lanes: u32) -> u32;
        back_off() -> ();
        scratch() -> *mut u8;
        sync_block() -> ();
        shared() -> *mut u8;
    }
}

/// Runs a kernel of independent lanes with 32 lanes a warp, one after another.
///
/// # Safety
///
/// The arguments satisfy the kernel's contract.
pub unsafe fn run_lanes<K: PlainKernel>(warps: u32, arguments: K::Arguments) {
    for warp in 0..warps {
        for lane in 0..LoneLane::LANES {
            // SAFETY: the caller's promise.
            unsafe { K::run(LoneLane { lane, warp, warps }, arguments) };
        }
    }
}

/// The kernel `Trace` over a built tree: on `Solo` warps or on 32-lane ones.
pub fn trace(
    triangles: &[Triangle],
    bounds: &Bounds,
    built: &Built,
    rays: &[RayFloats],
    lanes: u32,
) -> Vec<Hit> {
    let mut hits = vec![0; rays.len()];
    let mut parameters = vec![0.0; rays.len()];
    let arguments = TraceArguments {
        scene: SceneArguments {
            nodes: built.nodes.as_ptr().cast_mut(),
            references: built.references.as_ptr().cast_mut(),
            triangles: triangles.as_ptr().cast_mut(),
            bounds: (&raw const *bounds).cast_mut(),
        },
        rays: rays.as_ptr().cast_mut(),
        hits: hits.as_mut_ptr(),
        parameters: parameters.as_mut_ptr(),
        count: rays.len() as u32,
    };
    // SAFETY: the tree is whole and the arrays have an entry for each ray; the
    // kernel only reads the nodes, references, triangles and rays.
    unsafe {
        if lanes == 1 {
            run_plain(Call::of::<Trace>(arguments), 3);
        } else {
            run_lanes::<Trace>(2, arguments);
        }
    }
    hits.into_iter()
        .zip(parameters)
        .map(|(triangle, t)| Hit { triangle, t })
        .collect()
}
