//! Views out: text that reads back as the same view, bit for bit.

use super::{EnvironmentFile, Sky, View};
use glam::{DVec3, Vec3};
use std::fmt::Write;

impl View {
    /// The view as TOML text. Characters of the environment's path that are not Unicode are lost.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        let camera = self.camera;
        let line =
            |name: &str, value: Option<String>| value.map(|value| format!("{name} = {value}\n"));
        let fov = camera
            .fov_degrees
            .map(|fov| format!("fov = {}\n", number(fov)));
        let size = camera
            .size
            .map(|[width, height]| format!("size = [{width}, {height}]\n"));
        let lines = [
            line("eye", camera.eye.map(position)),
            line("look_at", camera.look_at.map(position)),
            line("up", camera.up.map(array)),
            fov,
            size,
        ];
        if lines.iter().any(Option::is_some) {
            text += "[camera]\n";
        }
        text.extend(lines.into_iter().flatten());
        let mut table = |header: &str, lines: &[(&str, String)]| {
            let parting = if text.is_empty() { "" } else { "\n" };
            writeln!(text, "{parting}{header}").expect("writing to a string succeeds");
            for (name, value) in lines {
                writeln!(text, "{name} = {value}").expect("writing to a string succeeds");
            }
        };
        if let Some(Sky { zenith, nadir }) = self.lights.sky {
            table(
                "[sky]",
                &[("zenith", array(zenith)), ("nadir", array(nadir))],
            );
        }
        if let Some(environment) = &self.lights.environment {
            let EnvironmentFile {
                file,
                scale,
                turn_degrees,
            } = environment;
            let image = toml::Value::from(file.to_string_lossy().as_ref());
            let lines = [
                ("image", image.to_string()),
                ("scale", number(*scale)),
                ("turn", number(*turn_degrees)),
            ];
            table("[environment]", &lines);
        }
        for sun in &self.lights.suns {
            let lines = [
                ("direction", array(sun.direction)),
                ("irradiance", array(sun.irradiance)),
                ("angle", number(sun.angle_degrees)),
            ];
            table("[[sun]]", &lines);
        }
        for point in &self.lights.points {
            let lines = [
                ("position", position(point.position)),
                ("intensity", array(point.intensity)),
            ];
            table("[[point]]", &lines);
        }
        for spot in &self.lights.spots {
            let lines = [
                ("position", position(spot.position)),
                ("direction", array(spot.direction)),
                ("intensity", array(spot.intensity)),
                ("angle", number(spot.angle_degrees)),
                ("inner_angle", number(spot.inner_degrees)),
            ];
            table("[[spot]]", &lines);
        }
        text
    }
}

/// Coordinates as those of `f32` where these are some, or else with the fewest digits that read
/// back as the same `f64`.
fn position(value: DVec3) -> String {
    let [x, y, z] = value.to_array().map(|wide| match wide as f32 {
        narrow if f64::from(narrow) == wide => number(narrow),
        _ => format!("{wide:?}"),
    });
    format!("[{x}, {y}, {z}]")
}

fn array(value: Vec3) -> String {
    let [x, y, z] = value.to_array().map(number);
    format!("[{x}, {y}, {z}]")
}

/// The fewest digits that read back as the same `f32`. TOML reads an `f64` first: where that
/// rounds to another `f32`, its digits are written.
fn number(value: f32) -> String {
    let short = format!("{value:?}");
    let back = short.parse::<f64>().map(|wide| wide as f32);
    match back {
        Ok(back) if back.to_bits() == value.to_bits() => short,
        _ => format!("{:?}", f64::from(value)),
    }
}
