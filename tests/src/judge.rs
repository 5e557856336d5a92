//! Whether a hit is right, judged in doubles and without the tree that it came
//! from: the oracle's exact tree and its own intersection say how far the
//! nearest triangle is.
//!
//! The kernels intersect in floats. So a triangle may be hit or missed, as
//! against the doubles, where the ray passes within rounding of its border or
//! begins within rounding of it, and two triangles may be hit in the other
//! order where their distances differ by rounding. How much rounding may matter
//! is what `render::Ray` promises, its margin. Anything else is a fault.

use glam::Vec3;
use heapwood_device::kdtree::plan::Options;
use heapwood_device::render::{Bounds, Hit, MAX_TRAVERSAL_DEPTH, Ray, Triangle};
use rayon::prelude::*;

use crate::brute::{self, Built, RayFloats};
use crate::oracle;
use crate::vector::{Vector, along, cross, dot, length, minus, widen};

/// Rays that a worker takes at a time.
const CHUNK: usize = 4096;

/// A scene with the tree of the exact builder.
pub struct Judge<'a> {
    triangles: &'a [Triangle],
    bounds: Bounds,
    space: Bounds,
    tree: Built,
}

/// The verdict of arithmetic in doubles on a hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The triangle is the nearest, or there is none.
    Right,
    /// Rounding may have decided.
    Close,
    /// Neither; and why.
    Wrong(String),
}

/// A ray in both precisions.
struct Both {
    single: Ray,
    double: oracle::Ray,
    /// How far rounding may move a point, as a distance: the margin holds for
    /// each coordinate.
    slack: f64,
}

impl<'a> Judge<'a> {
    /// Builds the exact tree of some triangles, at least one.
    ///
    /// # Panics
    ///
    /// If the tree is deeper than the kernels can traverse.
    pub fn new(triangles: &'a [Triangle]) -> Self {
        let (nodes, references, space) = oracle::build(triangles, Options::default().costs);
        let depth = oracle::depth(&nodes);
        assert!(depth <= MAX_TRAVERSAL_DEPTH, "{depth} levels");
        Self {
            triangles,
            bounds: brute::bounds_of(triangles),
            space,
            tree: Built { nodes, references },
        }
    }

    /// The box around the triangles.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The hits of the kernel `Trace` in the exact tree, on the host.
    pub fn trace(&self, rays: &[RayFloats]) -> Vec<Hit> {
        let trace = |rays| brute::trace(self.triangles, &self.bounds, &self.tree, rays, 1);
        rays.par_chunks(CHUNK).flat_map_iter(trace).collect()
    }

    /// Judges what a ray hit.
    pub fn judge(&self, ray: &RayFloats, hit: Hit) -> Verdict {
        let Some(ray) = Both::new(ray, &self.bounds) else {
            let why = format!("{hit:?} by a ray without meaning");
            return if hit.is_some() {
                Verdict::Wrong(why)
            } else {
                Verdict::Right
            };
        };
        let (nodes, references) = (&self.tree.nodes, &self.tree.references);
        let nearest =
            oracle::closest_hit(nodes, references, self.triangles, self.space, &ray.double);
        if hit.is_some() {
            let own = &self.triangles[hit.triangle as usize];
            if !ray.may_hit(own, hit.t) {
                return Verdict::Wrong(format!("{hit:?} is not on {own:?}"));
            }
            if nearest.is_some() && ray.distance(own) == nearest {
                return Verdict::Right;
            }
        } else if nearest.is_none() {
            return Verdict::Right;
        }
        // Few rays come here, so that all triangles can be asked.
        let nearest = oracle::brute_force(self.triangles, &ray.double);
        let fault = self.triangles.iter().find(|triangle| {
            nearest.is_some() && ray.distance(triangle) == nearest && !ray.may_pass(triangle, hit.t)
        });
        match fault {
            Some(triangle) => Verdict::Wrong(format!("{hit:?} instead of {triangle:?}")),
            None => Verdict::Close,
        }
    }
}

impl Both {
    fn new(floats: &RayFloats, bounds: &Bounds) -> Option<Self> {
        let [ox, oy, oz, dx, dy, dz] = *floats;
        let single = Ray::new(Vec3::new(ox, oy, oz), Vec3::new(dx, dy, dz), bounds)?;
        Some(Self {
            single,
            double: oracle::Ray {
                origin: widen([ox, oy, oz]),
                direction: widen([dx, dy, dz]),
            },
            slack: f64::from(single.margin()) * 3_f64.sqrt(),
        })
    }

    /// Where the ray hits a triangle, in doubles.
    fn distance(&self, triangle: &Triangle) -> Option<f64> {
        oracle::brute_force(std::slice::from_ref(triangle), &self.double)
    }

    /// Whether a hit of the triangle at `t` is right but for rounding.
    fn may_hit(&self, triangle: &Triangle, t: f32) -> bool {
        let oracle::Ray { origin, direction } = self.double;
        let point = along(origin, f64::from(t), direction);
        let is_in_plane = distance_to_plane(point, triangle) <= self.slack;
        is_in_plane && (self.distance(triangle).is_some() || self.is_close(triangle))
    }

    /// Whether a triangle that doubles hit may lose, but for rounding, against
    /// a hit at `t`: to floats it is missed or not nearer.
    fn may_pass(&self, triangle: &Triangle, t: f32) -> bool {
        match self.single.hit(triangle) {
            None => self.is_close(triangle),
            Some(other) => t <= other && self.may_hit(triangle, other),
        }
    }

    /// Whether the ray passes the triangle's border or begins on the triangle,
    /// within the slack.
    fn is_close(&self, triangle: &Triangle) -> bool {
        let oracle::Ray { origin, direction } = self.double;
        let square = dot(direction, direction);
        // The corners as seen along the ray, which is at 0.
        let seen = triangle.map(|corner| {
            let from = minus(widen(corner), origin);
            along(from, -dot(from, direction) / square, direction)
        });
        let to_border = (0..3)
            .map(|i| distance_to_segment(seen[i], seen[(i + 1) % 3]))
            .fold(f64::INFINITY, f64::min);
        to_border.min(distance_to_plane(origin, triangle)) <= self.slack
    }
}

/// How far a point is from a triangle's plane.
fn distance_to_plane(point: Vector, triangle: &Triangle) -> f64 {
    let [a, b, c] = triangle.map(widen);
    let normal = cross(minus(b, a), minus(c, a));
    (dot(minus(point, a), normal) / length(normal)).abs()
}

/// How far 0 is from a segment.
fn distance_to_segment(from: Vector, to: Vector) -> f64 {
    let side = minus(to, from);
    let square = dot(side, side);
    if square == 0.0 {
        return length(from);
    }
    let part = (-dot(from, side) / square).clamp(0.0, 1.0);
    length(along(from, part, side))
}
