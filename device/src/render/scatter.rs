//! Where a surface sends light on: the lobes of a material, in the frame of the normal.
//!
//! The specular lobe is GGX (Walter and others, 2007) with the height-correlated shadowing of
//! Heitz (JCGT 2014); its visible normals are sampled after Dupuy and Benyoub, "Sampling Visible
//! GGX Normals with Spherical Caps" (HPG 2023). Glass reflects by Fresnel's equations. The
//! change of radiance by the square of the index is left out: it cancels where light leaves the
//! glass again, and lights and eye are outside.

use cuda_std::math::sqrt;
use glam::Vec3;

use super::direction::{PI, cos_sin_turns, cosine_direction};
use super::material::{NARROWEST_LOBE, SurfaceMaterial};
use super::random::Sampler;
use super::shade::unit;

/// A direction in which a path goes on.
#[derive(Clone, Copy, Debug)]
pub struct BsdfSample {
    /// A unit vector; below 0 in z it passes through the surface.
    pub direction: Vec3,
    /// The factor of the light from there.
    pub factor: Vec3,
    /// The density of the direction; 0 for one that is the only one.
    pub pdf: f32,
}

/// The greatest component.
#[inline(always)]
pub(super) fn max_component(v: Vec3) -> f32 {
    let larger = if v.x < v.y { v.y } else { v.x };
    if larger < v.z { v.z } else { larger }
}

/// A material seen from a direction, ready to be evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Bsdf {
    material: SurfaceMaterial,
    /// To where the path came from; z is at least 0.
    out: Vec3,
    /// The part of light that neither passes nor meets glass.
    opaque: f32,
    /// The part of opaque directions that are the specular lobe's.
    specular: f32,
    is_mirror: bool,
}

impl Bsdf {
    /// Of a material, for light that goes on along the unit vector `out`.
    #[inline(always)]
    pub fn new(material: SurfaceMaterial, out: Vec3) -> Self {
        let (diffuse, specular) = (
            max_component(material.diffuse),
            max_component(material.specular),
        );
        let both = diffuse + specular;
        Self {
            material,
            out,
            opaque: (1.0 - material.transparency) * (1.0 - material.transmission),
            specular: if both > 0.0 { specular / both } else { 0.0 },
            is_mirror: material.roughness < NARROWEST_LOBE,
        }
    }

    /// Whether no direction has a density, so that light from a given one is not scattered.
    #[inline(always)]
    pub fn is_specular(&self) -> bool {
        let narrow = if self.is_mirror { 1.0 } else { 0.0 };
        let spread = max_component(self.material.diffuse)
            + max_component(self.material.specular) * (1.0 - narrow);
        let is_spread = self.opaque * spread > 0.0;
        !is_spread
    }

    /// Reflectance by cosine for light from a unit vector above the surface, and the density
    /// with which [`sample`](Self::sample) chooses it.
    #[inline(always)]
    pub fn f_and_pdf(&self, from: Vec3) -> (Vec3, f32) {
        let lambert = from.z * (1.0 / PI);
        let mut factor = self.material.diffuse * lambert;
        let mut pdf = (1.0 - self.specular) * lambert;
        if !self.is_mirror && self.specular > 0.0 {
            let (shadowed, visible) = self.lobe(from);
            factor += self.material.specular * shadowed;
            pdf += self.specular * visible;
        }
        (factor * self.opaque, pdf * self.opaque)
    }

    /// GGX by cosine, and the density of its sampled directions.
    #[inline(always)]
    fn lobe(&self, from: Vec3) -> (f32, f32) {
        let half = unit(self.out + from);
        let square = self.material.roughness * self.material.roughness;
        let across = (half.x * half.x + half.y * half.y) / square;
        let slope = across + half.z * half.z;
        let normals = 1.0 / (PI * square * slope * slope);
        let spread = |z: f32| sqrt(square + (1.0 - square) * z * z);
        let (of_out, of_from) = (spread(self.out.z), spread(from.z));
        // Shadowing and masking with the cosines of the denominator taken out.
        let both = self.out.z * of_from + from.z * of_out;
        let shadowed = if both > 0.0 {
            normals * from.z * 0.5 / both
        } else {
            0.0
        };
        (shadowed, normals * 0.5 / (self.out.z + of_out))
    }

    /// A direction in which the path goes on; none if it ends here. `is_front` says whether
    /// `out` is at the side from which the triangle's corners run counterclockwise.
    #[inline(always)]
    pub fn sample(&self, is_front: bool, sampler: &mut Sampler) -> Option<BsdfSample> {
        let material = self.material;
        let [kind, lobe] = sampler.get_2d();
        let pair = sampler.get_2d();
        let single = |direction: Vec3, factor: Vec3| BsdfSample {
            direction,
            factor,
            pdf: 0.0,
        };
        if kind < material.transparency {
            return Some(single(-self.out, Vec3::ONE));
        }
        let kind = (kind - material.transparency) / (1.0 - material.transparency);
        if kind < material.transmission {
            return Some(single(self.through_glass(is_front, lobe), Vec3::ONE));
        }
        let is_specular = lobe < self.specular;
        if is_specular && self.is_mirror {
            return Some(single(
                mirrored(self.out),
                material.specular / self.specular,
            ));
        }
        let direction = if is_specular {
            let half = self.visible_normal(pair);
            half * (2.0 * self.out.dot(half)) - self.out
        } else {
            cosine_direction(pair)
        };
        if direction.z <= 0.0 {
            return None;
        }
        let (factor, pdf) = self.f_and_pdf(direction);
        (pdf > 0.0).then(|| BsdfSample {
            direction,
            factor: factor / pdf,
            pdf,
        })
    }

    /// A normal of the lobe's facets, in proportion to what is seen of them.
    #[inline(always)]
    fn visible_normal(&self, [turn, height]: [f32; 2]) -> Vec3 {
        let width = self.material.roughness;
        let out = unit(Vec3::new(
            self.out.x * width,
            self.out.y * width,
            self.out.z,
        ));
        let z = (1.0 - height) * (1.0 + out.z) - out.z;
        let rest = 1.0 - z * z;
        let radius = if rest > 0.0 { sqrt(rest) } else { 0.0 };
        let [x, y] = cos_sin_turns(turn);
        let half = Vec3::new(x * radius, y * radius, z) + out;
        unit(Vec3::new(
            half.x * width,
            half.y * width,
            if half.z > 0.0 { half.z } else { 0.0 },
        ))
    }

    /// Reflected or refracted by clear glass, in proportion to the light that is.
    #[inline(always)]
    fn through_glass(&self, is_front: bool, number: f32) -> Vec3 {
        let index = if is_front {
            1.0 / self.material.refraction
        } else {
            self.material.refraction
        };
        let cosine = self.out.z;
        let sine_square = (1.0 - cosine * cosine) * (index * index);
        if sine_square >= 1.0 {
            return mirrored(self.out);
        }
        let inside = sqrt(1.0 - sine_square);
        // Amplitudes of both polarisations, with the indices as a ratio.
        let parallel = (cosine - index * inside) / (cosine + index * inside);
        let across = (index * cosine - inside) / (index * cosine + inside);
        if number < 0.5 * (parallel * parallel + across * across) {
            mirrored(self.out)
        } else {
            Vec3::new(-self.out.x * index, -self.out.y * index, -inside)
        }
    }
}

/// The direction of a mirror.
#[inline(always)]
fn mirrored(out: Vec3) -> Vec3 {
    Vec3::new(-out.x, -out.y, out.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GREY: SurfaceMaterial = SurfaceMaterial {
        diffuse: Vec3::splat(0.5),
        specular: Vec3::splat(0.25),
        emission: Vec3::ZERO,
        roughness: 0.3,
        transmission: 0.0,
        refraction: 1.5,
        transparency: 0.0,
    };

    fn outs() -> impl Iterator<Item = Vec3> {
        [0.05, 0.3, 0.7, 1.0].into_iter().map(|z: f32| {
            let radius = (1.0 - z * z).sqrt();
            Vec3::new(0.6 * radius, -0.8 * radius, z)
        })
    }

    /// The sum over a grid of the upper half sphere: of the reflectance and of the density.
    fn integrals(bsdf: &Bsdf) -> (f64, f64) {
        let (rows, columns) = (2000, 500);
        let (mut reflected, mut chosen) = (0.0, 0.0);
        for row in 0..rows {
            let z = (row as f32 + 0.5) / rows as f32;
            let radius = (1.0 - z * z).sqrt();
            for column in 0..columns {
                let [x, y] = cos_sin_turns((column as f32 + 0.5) / columns as f32);
                let (factor, pdf) = bsdf.f_and_pdf(Vec3::new(x * radius, y * radius, z));
                reflected += f64::from(factor.x);
                chosen += f64::from(pdf);
            }
        }
        let area = std::f64::consts::TAU / f64::from(rows * columns);
        (reflected * area, chosen * area)
    }

    #[test]
    fn samples_follow_the_density_and_give_the_reflectance() {
        for out in outs() {
            for roughness in [0.15, 0.5, 1.0] {
                let material = SurfaceMaterial { roughness, ..GREY };
                let bsdf = Bsdf::new(material, out);
                let (reflected, chosen) = integrals(&bsdf);
                assert!(reflected < 0.7505 && chosen < 1.001, "{reflected} {chosen}");
                let count = 40_000;
                let (mut sum, mut alive) = (0.0, 0);
                for index in 0..count {
                    let mut sampler = Sampler::new(1, 2, index, 3);
                    if let Some(scattered) = bsdf.sample(true, &mut sampler) {
                        let (factor, pdf) = bsdf.f_and_pdf(scattered.direction);
                        assert_eq!(scattered.pdf, pdf);
                        assert!((factor / pdf - scattered.factor).length() < 1e-4);
                        assert!((scattered.direction.length() - 1.0).abs() < 1e-4);
                        sum += f64::from(scattered.factor.x);
                        alive += 1;
                    }
                }
                let mean = sum / f64::from(count);
                assert!((mean - reflected).abs() < 0.01, "{mean} for {reflected}");
                let part = f64::from(alive) / f64::from(count);
                assert!((part - chosen).abs() < 0.01, "{part} for {chosen}");
            }
        }
    }

    #[test]
    fn mirrors_reflect_all_and_lobes_exchange_light() {
        for out in outs() {
            let mirror = SurfaceMaterial {
                diffuse: Vec3::ZERO,
                specular: Vec3::splat(0.9),
                roughness: 0.0,
                ..GREY
            };
            let bsdf = Bsdf::new(mirror, out);
            assert!(bsdf.is_specular());
            let scattered = bsdf.sample(true, &mut Sampler::new(0, 0, 0, 0));
            let scattered = scattered.expect("a mirror reflects");
            assert_eq!(scattered.direction, Vec3::new(-out.x, -out.y, out.z));
            assert_eq!((scattered.factor, scattered.pdf), (mirror.specular, 0.0));
            // Helmholtz: as much from here to there as back, but for the cosines.
            for other in outs() {
                let there = Bsdf::new(GREY, out).f_and_pdf(other).0 / other.z;
                let back = Bsdf::new(GREY, other).f_and_pdf(out).0 / out.z;
                assert!(
                    (there - back).length() < 1e-4 * there.length(),
                    "{there} {back}"
                );
            }
        }
    }

    #[test]
    fn glass_refracts_and_reflects_as_fresnel_says() {
        let glass = SurfaceMaterial {
            transmission: 1.0,
            ..GREY
        };
        let part = |out: Vec3, is_front: bool| {
            let bsdf = Bsdf::new(glass, out);
            assert!(bsdf.is_specular());
            let count = 20_000;
            let reflected = (0..count).filter(|&index| {
                let mut sampler = Sampler::new(0, 0, index, 1);
                let scattered = bsdf.sample(is_front, &mut sampler).expect("light");
                let direction = scattered.direction;
                assert!((direction.length() - 1.0).abs() < 1e-5);
                if direction.z < 0.0 {
                    // Snell's law.
                    let index = if is_front { 1.5 } else { 1.0 / 1.5 };
                    let sine = |v: Vec3| v.x.hypot(v.y);
                    assert!((sine(out) - index * sine(direction)).abs() < 1e-5);
                }
                direction.z > 0.0
            });
            reflected.count() as f64 / f64::from(count)
        };
        assert!((part(Vec3::Z, true) - 0.04).abs() < 1e-3);
        assert!((part(Vec3::Z, false) - 0.04).abs() < 1e-3);
        // At 60 degrees: ((0.5 - 1.5 c)/(0.5 + 1.5 c))^2 and ((1.5 * 0.5 - c)/(...))^2, with
        // c = sqrt(1 - 0.75 / 2.25), are 0.1770 and 0.0018.
        let sixty = Vec3::new(0.75_f32.sqrt(), 0.0, 0.5);
        assert!((part(sixty, true) - 0.0894).abs() < 2e-3);
        // Beyond 41.8 degrees inside nothing leaves.
        assert_eq!(part(sixty, false), 1.0);
    }

    #[test]
    fn what_is_not_there_lets_light_pass() {
        let veil = SurfaceMaterial {
            transparency: 0.25,
            ..GREY
        };
        let bsdf = Bsdf::new(veil, Vec3::Z);
        let passed = (0..4096).filter(|&index| {
            let scattered = bsdf.sample(true, &mut Sampler::new(0, 0, index, 0));
            scattered.is_some_and(|scattered| scattered.direction == -Vec3::Z)
        });
        assert_eq!(passed.count(), 1024);
    }
}
