//! Rows of an earlier comparison, perhaps an interrupted one, from which another goes on.
//!
//! Results are taken over, and must be those that this comparison would have found: rows that
//! stand side by side are of the same work, by the same program, on the same machine. A file
//! that has anything else is refused as a whole, whatever would be taken over of it. Options count
//! by their names and values, in any order: earlier versions had the order of the command line.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Error;
use crate::backend::DeviceInfo;
use crate::meta::{self, Meta};
use crate::report::compare::Standing;
use crate::workload::compare::Outcome;

/// A row of a comparison.
pub trait Row: Serialize + DeserializeOwned {
    /// The result of a case that succeeds.
    type Result;

    /// The name of its case in messages; no other case of a comparison has it.
    fn case(&self) -> String;

    /// Its allocator, as on the command line.
    fn allocator(&self) -> &str;

    /// Rows of another group are not compared with it.
    fn group(&self) -> &str {
        ""
    }

    /// Where it stands among the rows of its group.
    fn standing(&self) -> &Standing;

    /// The same, to be changed.
    fn standing_mut(&mut self) -> &mut Standing;

    /// The time by which results are compared, in milliseconds.
    fn time(result: &Self::Result) -> f64;

    /// The options that its case has in common with the others.
    fn options(&self) -> &[String];

    /// The outcome of its case.
    fn outcome(&self) -> &Outcome<Self::Result>;

    /// The hash that all results must have.
    fn hash(result: &Self::Result) -> &str;

    /// The words for two cases whose hashes differ: "built different trees".
    const DIFFER: &'static str;

    /// Where a result comes from.
    fn origin(result: &Self::Result) -> Origin;
}

/// Where a result comes from: what all rows of a comparison have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The name of the graph or the scene.
    pub input: String,
    /// `cpu` or `cuda`.
    pub backend: String,
    /// The product.
    pub device: String,
    /// Machine, program and input.
    pub meta: Meta,
}

impl Origin {
    /// That of a result of this program on a device: of an input of this name and hash, and of
    /// a seed.
    pub fn new(
        input: String,
        input_hash: Option<u64>,
        seed: Option<u64>,
        info: &DeviceInfo,
    ) -> Self {
        Self {
            input,
            backend: info.backend.to_owned(),
            device: info.device.clone(),
            meta: Meta {
                seed,
                input_hash: input_hash.map(|hash| format!("{hash:016x}")),
                link: info.linked.as_ref().map(meta::of_link),
                ..meta::of_device(info)
            },
        }
    }

    /// The first thing in which the program of another differs.
    fn other_program(&self, there: &Self) -> Option<Difference> {
        let things = |meta: &Meta| {
            [
                ("commit", text(&meta.commit)),
                ("compiler", text(&meta.compiler)),
            ]
        };
        first_difference(things(&there.meta), things(&self.meta))
    }

    /// The first thing in which another of the same program differs.
    fn difference(&self, there: &Self) -> Option<Difference> {
        let seed = |meta: &Meta| text(&meta.seed.map(|seed| seed.to_string()));
        let things = |origin: &Self| {
            let meta = &origin.meta;
            [
                ("name of the input", origin.input.clone()),
                ("hash of the input", text(&meta.input_hash)),
                ("seed", seed(meta)),
                ("backend", origin.backend.clone()),
                ("device", origin.device.clone()),
                ("driver", text(&meta.driver)),
            ]
        };
        // Only results of the user's allocator have files.
        if let (Some(other), Some(own)) = (&there.meta.link, &self.meta.link)
            && (&other.files, other.merged) != (&own.files, own.merged)
        {
            return Some(("linked file", other.files_text(), own.files_text()));
        }
        first_difference(things(there), things(self))
    }
}

/// A thing in which two origins differ: its name, there and here.
type Difference = (&'static str, String, String);

fn first_difference<const N: usize>(
    there: [(&'static str, String); N],
    here: [(&'static str, String); N],
) -> Option<Difference> {
    let mut pairs = there.into_iter().zip(here);
    let ((what, there), (_, here)) = pairs.find(|(there, here)| there != here)?;
    Some((what, there, here))
}

fn text(value: &Option<String>) -> String {
    value.clone().unwrap_or_else(|| "unknown".to_owned())
}

/// The file of an earlier comparison.
#[derive(Clone, Debug)]
pub struct Earlier {
    path: PathBuf,
    text: String,
}

impl Earlier {
    /// Reads a file; none if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Resume`] if it cannot be read.
    pub fn read(path: &Path) -> Result<Option<Self>, Error> {
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(Some(Self {
                path: path.to_owned(),
                text,
            })),
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(refused(path, &format!("cannot read: {cause}"))),
        }
    }

    /// The row of each case of a comparison that succeeded, in the places of `cases`.
    ///
    /// # Errors
    ///
    /// [`Error::Resume`] if it is not JSON, not of this version of the program, or of another
    /// comparison.
    pub fn rows<R: Row>(
        &self,
        cases: &[String],
        options: &[String],
        origin: &Origin,
    ) -> Result<Vec<Option<R>>, Error> {
        let refused = |why: String| refused(&self.path, &why);
        let written: Vec<Value> = serde_json::from_str(&self.text)
            .map_err(|error| refused(format!("no rows in JSON: {error}")))?;
        let mut known: Vec<Option<R>> = cases.iter().map(|_| None).collect();
        let mut seen = vec![false; cases.len()];
        for (number, value) in (1..).zip(written) {
            let row: R = same(&value).map_err(|why| {
                let what = "is not what this version of the program writes";
                refused(format!("row {number} {what}: {why}"))
            })?;
            let name = row.case();
            let place = (0..cases.len()).find(|&place| cases[place] == name && !seen[place]);
            let place = place.ok_or_else(|| {
                refused(format!(
                    "row {number} is {name}, which is not to be compared, or not twice"
                ))
            })?;
            seen[place] = true;
            let other = |(what, there, here): Difference| {
                refused(format!(
                    "row {number} has another {what}: {there}, not {here}"
                ))
            };
            let result = row.outcome().result.as_ref();
            let there = result.map(R::origin);
            // Options of another version may be written otherwise.
            if let Some(found) = there.as_ref().and_then(|there| origin.other_program(there)) {
                return Err(other(found));
            }
            if let Some(why) = other_options(row.options(), options) {
                return Err(refused(format!("row {number} was made {why}")));
            }
            let Some(there) = there else {
                continue;
            };
            if let Some(found) = origin.difference(&there) {
                return Err(other(found));
            }
            known[place] = Some(row);
        }
        Ok(known)
    }
}

/// The error of a file.
fn refused(path: &Path, why: &str) -> Error {
    Error::Resume(format!(
        "{}: {why}; resume a comparison with the options, program and device that it was begun \
         with",
        path.display()
    ))
}

/// A row that is written as it was read: a key more or less is of another version.
fn same<R: Row>(value: &Value) -> Result<R, String> {
    let row: R = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
    // By the text that would be written: a number of 32 bits has another value of 64 bits.
    let again = serde_json::to_string(&row).and_then(|text| serde_json::from_str::<Value>(&text));
    match again.map_err(|error| error.to_string())? == *value {
        true => Ok(row),
        false => Err("it has other keys".to_owned()),
    }
}

/// How options there differ from those here, if they do.
fn other_options(there: &[String], here: &[String]) -> Option<String> {
    let only = |some: &[String], others: &[String]| {
        let mut some = some.iter();
        some.find(|option| !others.contains(option)).cloned()
    };
    match (only(there, here), only(here, there)) {
        (Some(there), Some(here)) => Some(format!("with {there}, not with {here}")),
        (Some(there), None) => Some(format!("with {there}")),
        (None, Some(here)) => Some(format!("without {here}")),
        (None, None) if sorted(there) != sorted(here) => {
            Some("with these options in another order".to_owned())
        }
        (None, None) => None,
    }
}

/// Options by their names; several values of one option stay in their order.
fn sorted(options: &[String]) -> Vec<&String> {
    let mut sorted: Vec<&String> = options.iter().collect();
    sorted.sort_by_key(|option| {
        option
            .split_once('=')
            .map_or(option.as_str(), |(name, _)| name)
    });
    sorted
}
