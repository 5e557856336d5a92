//! Families of shapes whose corners are in the planes of splits or off by what modelling
//! programs leave: surfaces of revolution, prisms, extrusions, boxes, tessellated planes and
//! mirrored halves.

pub mod campaign;
pub mod mesh;
pub mod variant;
pub mod views;

use std::f64::consts::{PI, TAU};

use mesh::{Mesh, Point, cube, extrusion, grid, revolution};

/// A kind of shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A sphere with poles.
    Sphere,
    /// A torus.
    Torus,
    /// A cylinder with lids.
    Cylinder,
    /// A cone.
    Cone,
    /// A cylinder between two half spheres.
    Capsule,
    /// A lathed vase.
    Vase,
    /// A cylinder lying along x, in several lengths.
    Pipe,
    /// A prism, turned by half an angle, so that no corner is on an axis.
    Prism,
    /// A toothed wheel.
    Gear,
    /// A star with points.
    Star,
    /// A cube with tessellated faces.
    Cube,
    /// A long flat box.
    Board,
    /// Half a sphere and its mirror image, open where they meet at the offset.
    Mirrored,
    /// Half a gear and its mirror image.
    MirroredGear,
    /// A tessellated plane.
    Plane,
    /// A tessellated plane, turned by 45 degrees.
    Slope,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Sphere,
        Self::Torus,
        Self::Cylinder,
        Self::Cone,
        Self::Capsule,
        Self::Vase,
        Self::Pipe,
        Self::Prism,
        Self::Gear,
        Self::Star,
        Self::Cube,
        Self::Board,
        Self::Mirrored,
        Self::MirroredGear,
        Self::Plane,
        Self::Slope,
    ];

    /// The shape of so many segments, from 3 on.
    pub fn mesh(self, segments: usize) -> Mesh {
        let n = segments;
        match self {
            Self::Sphere => revolution(&arc(0.0, PI, n / 2 + 1, 0.0), false, n),
            Self::Torus => {
                let tube: Vec<[f64; 2]> = circle(n.div_ceil(2).max(3), 0.0)
                    .map(|[x, y]| [1.0 + 0.25 * x, 0.25 * y])
                    .collect();
                revolution(&tube, true, n)
            }
            Self::Cylinder => revolution(&lathe(&[[1.0, -1.0], [1.0, 1.0]]), false, n),
            Self::Cone => revolution(&lathe(&[[1.0, -1.0], [0.0, 1.0]]), false, n),
            Self::Capsule => {
                let mut profile = arc(0.0, PI / 2.0, n / 4 + 1, -0.5);
                profile.extend(arc(PI / 2.0, PI, n / 4 + 1, 0.5));
                revolution(&profile, false, n)
            }
            Self::Vase => {
                let profile = [[0.5, -1.0], [0.75, -0.5], [0.25, 0.25], [0.5, 1.0]];
                revolution(&lathe(&profile), false, n)
            }
            Self::Pipe => {
                let profile = [[0.3, -1.0], [0.3, -0.5], [0.3, 0.0], [0.3, 1.0]];
                revolution(&lathe(&profile), false, n).mapped(|[x, y, z]| [y, x, z])
            }
            Self::Prism => {
                let polygon: Vec<[f64; 2]> = circle(n, PI / n as f64).collect();
                extrusion(&polygon, &[0.0, 0.5, 1.5])
            }
            Self::Gear => extrusion(&toothed(n), &[-0.25, 0.25]),
            Self::Star => {
                let corners = circle(2 * n, 0.0).enumerate();
                let polygon: Vec<[f64; 2]> = corners
                    .map(|(index, [x, y])| {
                        if index % 2 == 0 {
                            [x, y]
                        } else {
                            [x / 3.0, y / 3.0]
                        }
                    })
                    .collect();
                extrusion(&polygon, &[-0.1, 0.0, 0.1])
            }
            Self::Cube => cube(n.div_ceil(4)),
            Self::Board => cube(n.div_ceil(8)).mapped(|[x, y, z]| [100.0 * x, 0.1 * y, z]),
            Self::Mirrored => {
                let profile = arc(0.0, PI, n / 2 + 1, 0.0);
                let half = grid(n.div_ceil(2), n / 2 + 1, |column, row| {
                    let [radius, height] = profile[row];
                    let angle = PI * column as f64 / n.div_ceil(2) as f64;
                    [radius * angle.sin(), height, radius * angle.cos()]
                });
                half.mirrored()
            }
            Self::MirroredGear => {
                let count = n.max(4);
                let half = grid(count, 2, |column, row| {
                    let angle = PI * column as f64 / count as f64;
                    let radius = if column % 4 < 2 { 1.0 } else { 0.8 };
                    [radius * angle.sin(), row as f64 - 1.0, radius * angle.cos()]
                });
                half.mirrored()
            }
            Self::Plane => grid(n, n / 2 + 1, |x, y| {
                [x as f64 / 8.0 - 1.0, 0.0, y as f64 / 10.0 - 1.0]
            }),
            Self::Slope => grid(n, 3, |x, y| {
                let (x, y) = (x as f64 / n as f64, y as f64);
                let (sin, cos) = (PI / 4.0).sin_cos();
                [x * cos, x * sin, y]
            }),
        }
    }

    /// A point inside the shape, if it is closed whatever the offset.
    pub fn inside(self) -> Option<Point> {
        match self {
            Self::Mirrored | Self::MirroredGear | Self::Plane | Self::Slope => None,
            // In the tube, which has three corners or more.
            Self::Torus => Some([0.0, 0.0, 1.0]),
            Self::Prism => Some([0.0, 0.75, 0.0]),
            _ => Some([0.0; 3]),
        }
    }
}

/// Points of a circle of radius 1, from an angle on.
fn circle(count: usize, from: f64) -> impl Iterator<Item = [f64; 2]> {
    (0..count).map(move |index| {
        let angle = from + TAU * index as f64 / count as f64;
        [angle.cos(), angle.sin()]
    })
}

/// The profile of a part of a sphere around a height, by angles from the lower pole.
fn arc(from: f64, to: f64, parts: usize, height: f64) -> Vec<[f64; 2]> {
    let point = |index: usize| {
        let angle = match index {
            index if index == parts => to,
            index => from + (to - from) * index as f64 / parts as f64,
        };
        // The poles are points, whatever the sine of pi is.
        let radius = if angle == 0.0 || angle == PI {
            0.0
        } else {
            angle.sin()
        };
        [radius, height - angle.cos()]
    };
    (0..=parts).map(point).collect()
}

/// A profile that is closed by lids at both ends.
fn lathe(profile: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let lid = |[_, height]: [f64; 2]| [0.0, height];
    let mut closed = profile.to_vec();
    if profile[0][0] > 0.0 {
        closed.insert(0, lid(profile[0]));
    }
    let last = profile[profile.len() - 1];
    if last[0] > 0.0 {
        closed.push(lid(last));
    }
    closed
}

/// The outline of a wheel with teeth.
fn toothed(teeth: usize) -> Vec<[f64; 2]> {
    circle(4 * teeth, 0.0)
        .enumerate()
        .map(|(index, [x, y])| {
            if index % 4 < 2 {
                [x, y]
            } else {
                [0.8 * x, 0.8 * y]
            }
        })
        .collect()
}
