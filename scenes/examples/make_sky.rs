//! Makes the panorama that the project ships, `scenes/data/dusk.hdr`: the last of a low sun under
//! bands of cloud, over dark ground.
//!
//!     cargo run --release -p heapwood-scenes --example make_sky -- scenes/data

use std::f32::consts::{PI, TAU};
use std::path::PathBuf;

use image::Rgb;
use image::codecs::hdr::HdrEncoder;

const WIDTH: usize = 256;
const HEIGHT: usize = 128;
/// Where the sun is: a part of a turn to the right of the middle, and of the way up.
const SUN: [f32; 2] = [0.11, 0.07];
/// Angle of the sun's radius: some texels, as the real disc would be less than one.
const RADIUS: f32 = 0.03;

fn mix(a: [f32; 3], b: [f32; 3], part: f32) -> [f32; 3] {
    let part = part.clamp(0.0, 1.0);
    [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * part)
}

/// A direction from a part of a turn around and the height above the horizon, 1 being straight up.
fn direction(turn: f32, height: f32) -> [f32; 3] {
    let (up, level) = (0.5 * PI * height).sin_cos();
    let (across, along) = (TAU * turn).sin_cos();
    [across * level, up, -along * level]
}

/// Radiance from there.
fn sky(turn: f32, height: f32) -> [f32; 3] {
    if height < 0.0 {
        // Ground, less dark towards the horizon.
        return mix([0.10, 0.075, 0.06], [0.03, 0.028, 0.03], -3.0 * height);
    }
    let [towards, from] = [direction(turn, height), direction(SUN[0], SUN[1])];
    let cosine: f32 = towards.iter().zip(from).map(|(a, b)| a * b).sum();
    let away = cosine.clamp(-1.0, 1.0).acos();
    let air = mix([0.75, 0.42, 0.22], [0.22, 0.26, 0.42], 3.2 * height);
    let air = mix(air, [0.05, 0.09, 0.22], 1.3 * height - 0.25);
    let glow = [1.0, 0.45, 0.14].map(|part: f32| part * 2.6 * (-5.0 * away).exp());
    // Bands that lie flat, wave a little, and end towards the zenith.
    let wave = 0.04 * (3.0 * TAU * turn).sin() + 0.025 * (7.0 * TAU * turn + 1.0).sin();
    let band = (34.0 * (height + wave * (0.3 + height))).sin();
    let ragged = 0.5 + 0.5 * (5.0 * TAU * turn + 11.0 * height).sin();
    let cloud = ((band - 0.2) * ragged).max(0.0) * (1.0 - 1.6 * height).max(0.0);
    let lit = [0.55, 0.26, 0.2].map(|part: f32| part * (0.5 + 2.0 * (-2.5 * away).exp()));
    let air = mix([0, 1, 2].map(|i| air[i] + glow[i]), lit, cloud);
    match away < RADIUS {
        true => [1300.0, 700.0, 260.0],
        false => air,
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or("name the folder to write to")?;
    let texel = |at: usize| {
        let turn = ((at % WIDTH) as f32 + 0.5) / WIDTH as f32 - 0.5;
        let down = ((at / WIDTH) as f32 + 0.5) / HEIGHT as f32;
        Rgb(sky(turn, 1.0 - 2.0 * down))
    };
    let texels: Vec<_> = (0..WIDTH * HEIGHT).map(texel).collect();
    let mut file = Vec::new();
    HdrEncoder::new(&mut file).encode(&texels, WIDTH, HEIGHT)?;
    std::fs::write(folder.join("dusk.hdr"), file)?;
    Ok(())
}
