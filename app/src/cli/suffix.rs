//! The format that the name of an output promises: a file's suffix stands for one, and
//! one that is not written is refused before the work starts.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::common::read_apart;
use crate::Error;
use crate::output::{self, Output};
use crate::report::{self, Format, Report};

/// Where the rows of a benchmark go, and in which format.
#[derive(Debug, Args)]
pub struct ResultArguments {
    /// Format: text, json, csv or markdown [default: by the suffix of -o]
    ///
    /// Without -o, it is text.
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    format: Option<Format>,
    /// Write the results to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl ResultArguments {
    /// The exporter of the rows. The command reads the files `read`.
    ///
    /// # Errors
    ///
    /// As for [`Exporter::open`], and for a file that is read.
    pub fn open<'a>(&self, read: impl IntoIterator<Item = &'a Path>) -> Result<Exporter, Error> {
        read_apart(read, &[self.output.as_deref()])?;
        Exporter::open(self.format, self.output.as_deref())
    }
}

/// Where the report of a command goes, and in which format.
pub struct Exporter {
    format: Format,
    file: Option<Output>,
    /// Whether the standard output has other results.
    is_beside: bool,
}

impl Exporter {
    /// Opens the file, if there is one, before the work starts.
    ///
    /// # Errors
    ///
    /// A name whose suffix is of another format or of none, and a file that cannot be written.
    pub fn open(asked: Option<Format>, path: Option<&Path>) -> Result<Self, Error> {
        Ok(Self {
            format: format(asked, path)?,
            file: path.map(Output::open).transpose()?,
            is_beside: false,
        })
    }

    /// The same, for a command whose standard output may have other results: a program reads
    /// those, people read the report on the standard error.
    pub fn beside_results(self, is_beside: bool) -> Self {
        Self { is_beside, ..self }
    }

    /// Writes the report to the file, or else to the standard output.
    ///
    /// # Errors
    ///
    /// For a report that JSON does not have, and those of writing.
    pub fn write<R: Report + ?Sized>(&self, report: &R) -> Result<(), Error> {
        let text = report::write(self.format, report)?;
        match &self.file {
            Some(file) => file.write(text.as_bytes()),
            None if self.is_beside => {
                // There is nowhere to report that the standard error is closed.
                let _ = std::io::stderr().write_all(text.as_bytes());
                Ok(())
            }
            None => output::print(&text),
        }
    }

    /// Writes a report that is not complete yet to the file, if there is one that holds it until then.
    ///
    /// # Errors
    ///
    /// As for [`write`](Self::write).
    pub fn save<R: Report + ?Sized>(&self, report: &R) -> Result<(), Error> {
        match &self.file {
            Some(file) if file.is_file() => self.write(report),
            _ => Ok(()),
        }
    }

    /// Writes the report and returns the verdict on it, also where the reader has closed the output.
    ///
    /// # Errors
    ///
    /// That of the verdict, and else those of [`write`](Self::write).
    pub fn conclude<R: Report + ?Sized>(
        &self,
        report: &R,
        verdict: Result<(), Error>,
    ) -> Result<(), Error> {
        let written = self.write(report);
        verdict.and(written)
    }
}

/// All formats of reports, each with the suffix of its files in small letters.
const FORMATS: [(&str, Format); 4] = [
    ("txt", Format::Text),
    ("json", Format::Json),
    ("csv", Format::Csv),
    ("md", Format::Markdown),
];

/// The suffix of a file's name in small letters, if it has one.
fn of(path: &Path) -> Option<String> {
    let suffix = path.extension()?.to_string_lossy();
    Some(suffix.to_ascii_lowercase())
}

/// Whether a file's name ends in this suffix, in letters of either case.
pub fn is(path: &Path, suffix: &str) -> bool {
    of(path).is_some_and(|found| found == suffix)
}

/// Refuses a name with a suffix that is not among those that are `written`. A
/// name without one promises nothing.
///
/// # Errors
///
/// One line that names the file and what is written.
pub fn check(path: &Path, written: &[&str]) -> Result<(), Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_ascii_lowercase();
    let ends = |suffix: &&str| name.ends_with(&format!(".{suffix}"));
    if path.extension().is_some() && !written.iter().any(ends) {
        return Err(refused(path, written));
    }
    Ok(())
}

/// The format of a report: the one asked for, or else that of the file's suffix,
/// or else the usual one.
///
/// # Errors
///
/// A suffix that stands for no format, or for another than the one asked for.
pub fn format(asked: Option<Format>, path: Option<&Path>) -> Result<Format, Error> {
    let Some((path, suffix)) = path.and_then(|path| Some((path, of(path)?))) else {
        return Ok(asked.unwrap_or_default());
    };
    let named = FORMATS.iter().find(|(name, _)| *name == suffix);
    let suffix_of = |format: Format| FORMATS.iter().find(|(_, of)| *of == format);
    match (named, asked.and_then(suffix_of)) {
        (None, None) => Err(refused(
            path,
            &FORMATS.iter().map(|of| of.0).collect::<Vec<_>>(),
        )),
        (Some(named), Some(asked)) if named.1 == asked.1 => Ok(asked.1),
        (_, Some(asked)) => Err(refused(path, &[asked.0])),
        (Some(named), None) => Ok(named.1),
    }
}

fn refused(path: &Path, written: &[&str]) -> Error {
    let written: Vec<String> = written.iter().map(|suffix| format!(".{suffix}")).collect();
    Error::Usage(format!(
        "{}: no such files are written; name it {}",
        path.display(),
        written.join(" or ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suffix_is_one_that_is_written_or_none() {
        for fine in ["a.png", "a.b.PNG", "out", "/dev/stdout", "."] {
            check(Path::new(fine), &["png"]).unwrap();
        }
        check(Path::new("a.OBJ.gz"), &["obj", "obj.gz"]).unwrap();
        assert!(is(Path::new("a.b.EXR"), "exr") && !is(Path::new("exr"), "exr"));
        for bad in ["a.bmp", "a.png.gz", "a.", "/dev/x.jpg"] {
            let error = check(Path::new(bad), &["png"]).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{bad}");
            assert!(error.to_string().contains(".png"), "{error}");
        }
    }

    #[test]
    fn a_suffix_chooses_the_format_or_agrees_with_it() {
        let of = |asked, name| format(asked, Some(Path::new(name))).ok();
        assert_eq!(of(None, "a.json"), Some(Format::Json));
        assert_eq!(of(None, "a.txt"), Some(Format::Text));
        assert_eq!(of(None, "a"), Some(Format::Text));
        assert_eq!(of(Some(Format::Json), "a"), Some(Format::Json));
        assert_eq!(of(Some(Format::Json), "a.txt"), None);
        assert_eq!(of(None, "a.bmp"), None);
        assert_eq!(of(None, "a.CSV"), Some(Format::Csv));
        assert_eq!(of(Some(Format::Markdown), "a.md"), Some(Format::Markdown));
        assert_eq!(of(Some(Format::Text), "a.csv"), None);
        assert_eq!(of(None, "a.png"), None);
        assert_eq!(format(None, None).ok(), Some(Format::Text));
    }
}
