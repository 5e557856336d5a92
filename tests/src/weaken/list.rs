//! The campaign's outcome as a file: one line a weakening, by the text of the
//! line of source, so that the list outlives changes around it.

use std::fmt;
use std::fs;
use std::path::Path;

use crate::lockstep::orders::{Request, Site, Strength, Weakening};

/// A run that fails under a weakening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The workload.
    pub workload: String,
    /// The seed.
    pub seed: u64,
}

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The file.
    pub file: String,
    /// The line's text, without what is around it.
    pub text: String,
    /// How many lines before it in the file have the same text.
    pub nth: usize,
    /// The strength that it requests, and the one that it gets.
    pub strengths: (Strength, Strength),
    /// The failing workload, if the search found one.
    pub finding: Option<Finding>,
}

const STRENGTHS: [(Strength, &str); 6] = [
    (Strength::Nothing, "nothing"),
    (Strength::Acquire, "acquire"),
    (Strength::Release, "release"),
    (Strength::AcquireRelease, "acq_rel"),
    (Strength::Sequential, "seq_cst"),
    (Strength::Sync, "sync"),
];

fn name(strength: Strength) -> &'static str {
    let known = STRENGTHS.iter().find(|(known, _)| *known == strength);
    known.map_or("", |(_, name)| name)
}

fn strength(name: &str) -> Option<Strength> {
    let known = STRENGTHS.iter().find(|(_, known)| *known == name);
    known.map(|(strength, _)| *strength)
}

fn lines(root: &Path, file: &str) -> Result<Vec<String>, String> {
    let path = root.join(file);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text.lines().map(|line| line.trim().to_owned()).collect())
}

impl Row {
    /// The line of a weakening, in the sources under `root`.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn new(
        root: &Path,
        weakening: Weakening,
        finding: Option<Finding>,
    ) -> Result<Self, String> {
        let Request { site, strength } = weakening.request;
        let lines = lines(root, site.file)?;
        let index = site.line as usize - 1;
        let text = lines.get(index).cloned().unwrap_or_default();
        Ok(Self {
            file: site.file.to_owned(),
            nth: lines[..index].iter().filter(|line| **line == text).count(),
            text,
            strengths: (strength, weakening.to),
            finding,
        })
    }

    /// How the line of a table begins that argues why nothing was found.
    pub fn argument(&self) -> String {
        let (from, to) = self.strengths;
        let (from, to) = (name(from), name(to));
        let (file, text, nth) = (&self.file, &self.text, self.nth + 1);
        format!("| `{file}` | `{text}` ({nth}) | {from} to {to} |")
    }

    /// The weakening of the line, in the sources under `root`.
    ///
    /// # Errors
    ///
    /// A line that is not there any more.
    pub fn weakening(&self, root: &Path) -> Result<Weakening, String> {
        let lines = lines(root, &self.file)?;
        let mut same = (1..).zip(&lines).filter(|(_, line)| **line == self.text);
        let (line, _) = same.nth(self.nth).ok_or_else(|| {
            format!(
                "{} has no line `{}` any more; run `cargo xtask weaken`",
                self.file, self.text
            )
        })?;
        let (strength, to) = self.strengths;
        Ok(Weakening {
            request: Request {
                // Kept for the time of the process, as the locations of calls are.
                site: Site {
                    file: self.file.clone().leak(),
                    line,
                },
                strength,
            },
            to,
        })
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (from, to) = self.strengths;
        let (from, to) = (name(from), name(to));
        write!(
            f,
            "{}\t{}\t{}\t{from}\t{to}\t",
            self.file, self.text, self.nth
        )?;
        match &self.finding {
            Some(Finding { workload, seed }) => write!(f, "{workload}\t{seed}"),
            None => write!(f, "-\t-"),
        }
    }
}

/// The rows of a list.
///
/// # Errors
///
/// A line that is none.
pub fn parse(text: &str) -> Result<Vec<Row>, String> {
    let row = |line: &str| {
        let words: Vec<&str> = line.split('\t').collect();
        let [file, text, nth, from, to, workload, seed] = words[..] else {
            return None;
        };
        let finding = (workload != "-").then(|| {
            Some(Finding {
                workload: workload.to_owned(),
                seed: seed.parse().ok()?,
            })
        });
        Some(Row {
            file: file.to_owned(),
            text: text.to_owned(),
            nth: nth.parse().ok()?,
            strengths: (strength(from)?, strength(to)?),
            finding: match finding {
                Some(found) => Some(found?),
                None => None,
            },
        })
    };
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| row(line).ok_or_else(|| format!("no row: `{line}`")))
        .collect()
}
