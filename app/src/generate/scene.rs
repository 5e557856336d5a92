//! A scene to make: the options of `heapwood generate scene`.

use std::path::{Path, PathBuf};

use heapwood_scenes::generate::{self, Displacement};
use heapwood_scenes::{CleanOptions, Scene};

use super::parse::{Given, ParseSpecError, parse, within};
use super::{PREFIX, Spec, one_of};
use crate::Error;

/// Triangles of a scene of any size, at least, if none are asked for.
const SIZED_TRIANGLES: u64 = 300_000;

/// The kind whose levels are not subdivisions.
const MENGER: &str = "menger";

/// A scene to generate.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct SceneSpec {
    /// Name of a scene, or an OBJ, PLY or glTF file to enlarge
    ///
    /// Scenes of fixed size are courtyard, knot, terrain and cornell. Those of any size are
    /// building, scan, sphere, landscape, menger, hall, soup and stadium.
    #[cfg_attr(feature = "cli", arg(value_parser = parse_base))]
    kind: Base,
    /// Seed of random scenes and of the displacement
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = generate::TERRAIN_SEED))]
    seed: u32,
    /// Min triangles [default: 300000 for a scene of any size]
    ///
    /// A scene of any size gets more rooms or columns, a finer surface or a deeper sponge. Others
    /// are subdivided at edge midpoints.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "N", conflicts_with = "levels")
    )]
    triangles: Option<u64>,
    /// Number of subdivisions at edge midpoints, or the level of menger
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = within(0..=15)))]
    levels: Option<u32>,
    /// Max displacement of midpoints, relative to the edge
    #[cfg_attr(feature = "cli", arg(long, value_name = "FRACTION", default_value_t = 0.0, value_parser = parse_part))]
    displace: f32,
    /// Size of displaced features, relative to the scene
    #[cfg_attr(feature = "cli", arg(long, value_name = "FRACTION", default_value_t = 0.1, value_parser = parse_part))]
    feature: f32,
    /// N x N copies side by side
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = within(1..=32768)))]
    copies: Option<u32>,
    /// Gap between copies, relative to the scene
    #[cfg_attr(feature = "cli", arg(long, value_name = "FRACTION", default_value_t = 0.1, value_parser = parse_part))]
    gap: f32,
}

/// The base that a scene is made from.
#[derive(Clone, Debug, PartialEq)]
enum Base {
    /// One of the program's scenes.
    Named(&'static str),
    /// A scene of the program of as many triangles as are asked for.
    Sized(&'static str),
    /// A scene in a file.
    File(PathBuf),
    /// A scene that is made for this one.
    Made(Box<SceneSpec>),
}

impl Spec for SceneSpec {
    const OPTIONS: &'static [(&'static str, bool)] = &[
        ("seed", true),
        ("triangles", true),
        ("levels", true),
        ("displace", true),
        ("feature", true),
        ("copies", true),
        ("gap", true),
    ];

    fn read(kind: &str, given: &Given) -> Result<Self, ParseSpecError> {
        let seed = given.value("seed", within(0..=u32::MAX))?;
        let spec = Self {
            seed: seed.unwrap_or(generate::TERRAIN_SEED),
            triangles: given.value("triangles", str::parse)?,
            levels: given.value("levels", within(0..=15))?,
            displace: given.value("displace", parse_part)?.unwrap_or(0.0),
            feature: given.value("feature", parse_part)?.unwrap_or(0.1),
            copies: given.value("copies", within(1..=32768))?,
            gap: given.value("gap", parse_part)?.unwrap_or(0.1),
            kind: parse_base(kind)?,
        };
        given.exclude(["triangles", "levels"])?;
        Ok(spec)
    }

    fn check(&self) -> Result<(), ParseSpecError> {
        let is_subdivided = self.levels.is_some() && self.sponge().is_none();
        if self.is_sized() && !is_subdivided && self.displace > 0.0 {
            let why = match self.kind {
                Base::Sized(MENGER) => "displace is for what is subdivided, not for menger",
                _ => "displace is for what is subdivided: give what is of any size levels, too",
            };
            return Err(ParseSpecError::Invalid(why.to_owned()));
        }
        Ok(())
    }

    fn file(&self) -> Option<&Path> {
        match &self.kind {
            Base::Named(_) | Base::Sized(_) => None,
            Base::File(path) => Some(path),
            Base::Made(spec) => spec.file(),
        }
    }
}

impl SceneSpec {
    /// Whether the kind makes as many triangles as are asked for by itself.
    fn is_sized(&self) -> bool {
        matches!(self.kind, Base::Sized(_))
    }

    /// The level of the sponge, if that is what is asked for by its level.
    fn sponge(&self) -> Option<u32> {
        self.levels.filter(|_| self.kind == Base::Sized(MENGER))
    }

    /// Makes the scene that `heapwood generate scene` writes; `read` loads the file that it is
    /// made from, if there is one.
    ///
    /// # Errors
    ///
    /// Those of `read`, and more triangles than there may be.
    pub fn make(
        &self,
        read: &mut dyn FnMut(&Path) -> Result<Scene, Error>,
    ) -> Result<Scene, Error> {
        let mut scene = match &self.kind {
            // Another seed is another terrain.
            Base::Named("terrain") => generate::terrain(self.seed),
            Base::Named(name) => generate::by_name(name).expect("the parser found the name"),
            Base::Sized(name) => match self.sponge() {
                Some(level) => generate::menger(level)?,
                None => {
                    let triangles = self.triangles.unwrap_or(SIZED_TRIANGLES);
                    let made = generate::sized(name, triangles, self.seed)?;
                    made.expect("the parser found the name")
                }
            },
            Base::File(path) => read(path)?,
            Base::Made(spec) => spec.make(read)?,
        };
        let displacement = Displacement {
            amplitude: self.displace,
            feature: self.feature,
            seed: self.seed,
        };
        if let (Some(levels), None) = (self.levels, self.sponge()) {
            scene = generate::subdivide(&scene, levels, displacement)?;
        } else if let (Some(triangles), false) = (self.triangles, self.is_sized()) {
            scene = generate::subdivide_to(&scene, triangles, displacement)?;
        }
        if let Some(copies) = self.copies {
            scene = generate::grid(&scene, copies, self.gap)?;
        }
        Ok(scene.clean(CleanOptions::default())?.0)
    }
}

/// A scene of the program, a specification, or a file; what looks like no file is a name
/// that was mistaken.
fn parse_base(text: &str) -> Result<Base, ParseSpecError> {
    if let Some(&name) = generate::NAMES.iter().find(|&&name| name == text) {
        return Ok(Base::Named(name));
    }
    if let Some(&name) = generate::SIZED.iter().find(|&&name| name == text) {
        return Ok(Base::Sized(name));
    }
    if let Some(rest) = text.strip_prefix(PREFIX) {
        // Its commas would be those of the outer one.
        if rest.starts_with(PREFIX) {
            return Err(ParseSpecError::Invalid(format!("{PREFIX} stands once")));
        }
        return Ok(Base::Made(Box::new(parse(rest)?)));
    }
    let path = Path::new(text);
    if !text.contains(['.', '/']) && !path.exists() {
        let names: Vec<&str> = [&generate::NAMES[..], &generate::SIZED].concat();
        let names = one_of("scene", text, &names);
        let why = format!("{names}, or name an OBJ, PLY or glTF file");
        return Err(ParseSpecError::Invalid(why));
    }
    Ok(Base::File(path.to_owned()))
}

fn parse_part(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(part) if (0.0..=1000.0).contains(&part) => Ok(part),
        _ => Err("write a number from 0 to 1000".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> Scene {
        let spec: SceneSpec = parse(text).unwrap();
        spec.make(&mut |path| panic!("{} is read", path.display()))
            .unwrap()
    }

    #[test]
    fn named_scenes_are_those_that_are_shipped() {
        for name in generate::NAMES {
            let shipped = generate::by_name(name).unwrap();
            assert_eq!(made(name).input_hash(), shipped.input_hash(), "{name}");
        }
        assert_ne!(made("terrain,seed=8"), made("terrain"));
    }

    #[test]
    fn options_make_scenes_larger() {
        let count = made("terrain").len();
        assert_eq!(made("terrain,levels=1").len(), 4 * count);
        assert_eq!(made("terrain,copies=3,gap=0.5").len(), 9 * count);
        assert!(made("terrain,triangles=5000,displace=0.2").len() >= 5000);
        assert_eq!(made("gen:terrain,levels=1").len(), 4 * count);
        assert!(parse::<SceneSpec>("gen:gen:terrain").is_err());
    }

    #[test]
    fn some_kinds_have_as_many_triangles_as_asked_for() {
        for name in generate::SIZED {
            let expected = generate::sized(name, 2000, 3).unwrap().unwrap();
            let scene = made(&format!("{name},triangles=2000,seed=3"));
            assert_eq!(scene.input_hash(), expected.input_hash());
            let usual = made(name).len() as u64;
            // A level of the sponge has up to twenty times as many as the one before.
            let most = if name == MENGER { 20 } else { 2 };
            assert!((SIZED_TRIANGLES..most * SIZED_TRIANGLES).contains(&usual));
            let twice = made(&format!("{name},triangles=2000,seed=3,copies=2"));
            assert_eq!(twice.len(), 4 * scene.len());
        }
        for refused in ["scan,displace=0.1", "menger,levels=1,displace=0.1"] {
            let why = parse::<SceneSpec>(refused).unwrap_err().to_string();
            assert!(
                why.starts_with("displace is for what is subdivided"),
                "{why}"
            );
        }
        let fine = made("scan,levels=1,displace=0.1");
        assert!(fine.len() as u64 >= 4 * SIZED_TRIANGLES);
        assert_ne!(fine, made("scan,levels=1"));
    }

    #[test]
    fn the_levels_of_a_sponge_are_its_own() {
        assert_eq!(made("menger,levels=0").len(), 12);
        assert_eq!(made("menger,levels=2").len(), 2112);
        assert_eq!(made("menger,triangles=2000"), made("menger,levels=2"));
        assert_eq!(made("cornell,levels=1").len(), 4 * made("cornell").len());
        let spec: SceneSpec = parse("menger,levels=7").unwrap();
        assert_eq!(
            spec.make(&mut |_| unreachable!()).unwrap_err().exit_code(),
            2
        );
    }

    #[test]
    fn files_are_read_by_the_caller() {
        let spec: SceneSpec = parse("a/b.obj,levels=1").unwrap();
        assert_eq!(spec.file(), Some(Path::new("a/b.obj")));
        let mut seen = Vec::new();
        let scene = spec.make(&mut |path| {
            seen.push(path.to_owned());
            Ok(generate::terrain(1))
        });
        assert_eq!(scene.unwrap().len(), 4 * generate::terrain(1).len());
        assert_eq!(seen, [Path::new("a/b.obj")]);
    }

    #[test]
    fn too_many_triangles_are_a_usage_error() {
        let spec: SceneSpec = parse("courtyard,copies=32768").unwrap();
        let error = spec.make(&mut |_| unreachable!()).unwrap_err();
        assert_eq!(error.exit_code(), 2);
    }
}
