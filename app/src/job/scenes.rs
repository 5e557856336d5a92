//! Scenes as jobs and commands load and make them.

use std::path::Path;

use glam::DVec3;
use heapwood_scenes::{CleanOptions, CleanReport, Scene, load, load_relative_to};

use super::Progress;
use crate::Error;
use crate::generate::{SceneSpec, Source};
use crate::workload::frames::Frame;

/// How files are read.
#[derive(Clone, Copy, Default)]
struct Reading {
    keep_duplicates: bool,
    /// The offset that positions are relative to; none lets each file choose its own.
    offset: Option<DVec3>,
}

impl Reading {
    fn options(self) -> CleanOptions {
        CleanOptions {
            keep_duplicates: self.keep_duplicates,
            ..CleanOptions::default()
        }
    }
}

/// Loads and cleans a scene, or makes it.
///
/// # Errors
///
/// A scene that cannot be used or made, and those of `progress`.
pub fn load_scene(
    source: &Source<SceneSpec>,
    keep_duplicates: bool,
    progress: &mut dyn Progress,
) -> Result<(Scene, CleanReport), Error> {
    let reading = Reading {
        keep_duplicates,
        ..Reading::default()
    };
    load_as(source, reading, progress)
}

fn load_as(
    source: &Source<SceneSpec>,
    reading: Reading,
    progress: &mut dyn Progress,
) -> Result<(Scene, CleanReport), Error> {
    match source {
        Source::File(path) => read_scene(path, reading, progress),
        Source::Generated { text, spec } => {
            let made = make_as(spec, reading.offset, progress)?.renamed(text);
            Ok(made.clean(reading.options())?)
        }
    }
}

/// Loads and cleans the frames of a moving scene, or makes them, as [`load_scene`] does. Files are
/// read relative to one offset: that of the first frame that needs one.
///
/// # Errors
///
/// [`Error::Frame`] with one that cannot be used or made, or not relative to that offset; those of
/// `progress`.
pub fn load_frames(
    sources: &[Source<SceneSpec>],
    keep_duplicates: bool,
    progress: &mut dyn Progress,
) -> Result<Vec<Frame>, Error> {
    let wrong = |index: usize, error| Error::Frame {
        number: index + 1,
        name: sources[index].to_string(),
        error: Box::new(error),
    };
    let frame = |index: usize, reading, progress: &mut dyn Progress| {
        let loaded = load_as(&sources[index], reading, progress);
        loaded
            .map(|(scene, _)| Frame::of(&scene))
            .map_err(|error| wrong(index, error))
    };
    let mut reading = Reading {
        keep_duplicates,
        ..Reading::default()
    };
    let mut frames: Vec<Frame> = Vec::with_capacity(sources.len());
    for index in 0..sources.len() {
        let latest = frame(index, reading, progress)?;
        if let (None, Some(offset)) = (reading.offset, latest.offset) {
            reading.offset = Some(DVec3::from_array(offset));
            for (before, earlier) in frames.iter_mut().enumerate() {
                // Everything about the file was reported the first time.
                *earlier = frame(before, reading, &mut ())?;
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
/// A scene that cannot be made, and those of `progress`.
pub fn make_scene(spec: &SceneSpec, progress: &mut dyn Progress) -> Result<Scene, Error> {
    make_as(spec, None, progress)
}

fn make_as(
    spec: &SceneSpec,
    offset: Option<DVec3>,
    progress: &mut dyn Progress,
) -> Result<Scene, Error> {
    let reading = Reading {
        keep_duplicates: false,
        offset,
    };
    progress.begin("making a scene".to_owned());
    let made = spec.make(&mut |path| Ok(read_scene(path, reading, progress)?.0));
    progress.end();
    made
}

/// Reads and cleans the scene in a file.
fn read_scene(
    path: &Path,
    reading: Reading,
    progress: &mut dyn Progress,
) -> Result<(Scene, CleanReport), Error> {
    progress.begin(format!("reading {}", path.display()));
    let options = reading.options();
    let loaded = match reading.offset {
        Some(offset) => load_relative_to(path, options, offset),
        None => load(path, options),
    };
    progress.end();
    let loaded = loaded?;
    progress.scene(path, &loaded)?;
    Ok((loaded.scene, loaded.report))
}
