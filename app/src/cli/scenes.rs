//! Scenes as commands load and make them, with what there is to say about their files.

use std::path::Path;

use glam::DVec3;
use heapwood_scenes::{CleanOptions, CleanReport, Loaded, Scene, load, load_relative_to};

use super::common::{read_apart, spinner};
use super::complain;
use crate::Error;
use crate::generate::{SceneSpec, Source};
use crate::meta::offset_of;
use crate::workload::frames::Frame;

/// How files are read.
#[derive(Clone, Copy)]
struct Reading<'a> {
    keep_duplicates: bool,
    /// Outputs of the command, which may be none of the files that a scene names.
    written: &'a [Option<&'a Path>],
    /// The offset that positions are relative to; none lets each file choose its own.
    offset: Option<DVec3>,
    /// Whether warnings and notes are printed.
    tells: bool,
}

impl<'a> Reading<'a> {
    fn first(keep_duplicates: bool, written: &'a [Option<&'a Path>]) -> Self {
        Self {
            keep_duplicates,
            written,
            offset: None,
            tells: true,
        }
    }

    fn options(self) -> CleanOptions {
        CleanOptions {
            keep_duplicates: self.keep_duplicates,
            ..CleanOptions::default()
        }
    }
}

/// Loads and cleans a scene, or makes it; says on the standard error what was odd and what
/// was left out.
///
/// # Errors
///
/// A scene that cannot be used or made, and [`Error::Usage`] if it reads a file that is `written`:
/// its own, a material library, a texture or a buffer.
pub fn load_scene(
    source: &Source<SceneSpec>,
    keep_duplicates: bool,
    written: &[Option<&Path>],
) -> Result<(Scene, CleanReport), Error> {
    load_as(source, Reading::first(keep_duplicates, written))
}

fn load_as(source: &Source<SceneSpec>, reading: Reading) -> Result<(Scene, CleanReport), Error> {
    match source {
        Source::File(path) => read_scene(path, reading),
        Source::Generated { text, spec } => {
            let made = make_as(spec, reading)?.renamed(text);
            Ok(made.clean(reading.options())?)
        }
    }
}

/// Loads and cleans the frames of a moving scene, or makes them, as [`load_scene`] does. Files are
/// read relative to one offset: that of the first frame that needs one.
///
/// # Errors
///
/// [`Error::Frame`] with one that cannot be used or made, or not relative to that offset, or that
/// reads a file that is `written`.
pub fn load_frames(
    sources: &[Source<SceneSpec>],
    keep_duplicates: bool,
    written: &[Option<&Path>],
) -> Result<Vec<Frame>, Error> {
    let wrong = |index: usize, error| Error::Frame {
        number: index + 1,
        name: sources[index].to_string(),
        error: Box::new(error),
    };
    let frame = |index: usize, reading| {
        let loaded = load_as(&sources[index], reading);
        loaded
            .map(|(scene, _)| Frame::of(&scene))
            .map_err(|error| wrong(index, error))
    };
    let mut reading = Reading::first(keep_duplicates, written);
    let mut frames: Vec<Frame> = Vec::with_capacity(sources.len());
    for index in 0..sources.len() {
        let latest = frame(index, reading)?;
        if let (None, Some(offset)) = (reading.offset, latest.offset) {
            reading.offset = Some(DVec3::from_array(offset));
            let again = Reading {
                tells: false,
                ..reading
            };
            for (before, earlier) in frames.iter_mut().enumerate() {
                *earlier = frame(before, again)?;
            }
        }
        frames.push(latest);
    }
    // Frames that are not made of a file have no offset.
    let shared = reading.offset.map(|offset| offset.to_array());
    match frames.iter().position(|frame| frame.offset != shared) {
        Some(index) => Err(wrong(
            index,
            Error::Usage(
                "another frame is far from the origin, and this one is made near it: give frames \
                 that are near each other"
                    .to_owned(),
            ),
        )),
        None => Ok(frames),
    }
}

/// Makes a scene.
///
/// # Errors
///
/// A scene that cannot be made, and [`Error::Usage`] if it reads a file that is `written`.
pub fn make_scene(spec: &SceneSpec, written: &[Option<&Path>]) -> Result<Scene, Error> {
    make_as(spec, Reading::first(false, written))
}

fn make_as(spec: &SceneSpec, reading: Reading) -> Result<Scene, Error> {
    let spinner = spinner("making a scene".to_owned());
    let reading = Reading {
        keep_duplicates: false,
        ..reading
    };
    let made = spec.make(&mut |path| Ok(read_scene(path, reading)?.0));
    spinner.finish_and_clear();
    made
}

/// Reads and cleans the scene in a file.
fn read_scene(path: &Path, reading: Reading) -> Result<(Scene, CleanReport), Error> {
    let spinner = spinner(format!("reading {}", path.display()));
    let options = reading.options();
    let loaded = match reading.offset {
        Some(offset) => load_relative_to(path, options, offset),
        None => load(path, options),
    };
    spinner.finish_and_clear();
    let loaded = loaded?;
    read_apart(&loaded.files, reading.written)?;
    if reading.tells {
        tell(path, &loaded);
    }
    Ok((loaded.scene, loaded.report))
}

/// Prints the warnings and notes of a file.
fn tell(path: &Path, loaded: &Loaded) {
    for warning in &loaded.warnings {
        complain("warning", warning);
    }
    if let Some([x, y, z]) = offset_of(&loaded.scene) {
        let what = format_args!(
            "{}: far from the origin, the tree is built relative to {x},{y},{z}; cameras, lights and \
             files keep the coordinates of the scene",
            path.display()
        );
        complain("note", &what);
    }
    let report = &loaded.report;
    if report.kept < report.read {
        complain("note", &format_args!("{}: {report}", path.display()));
    }
}
