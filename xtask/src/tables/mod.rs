//! Tables of measurements in the documents, their chart and page, and the CSV beside each file: made
//! from the JSON files in `docs/results/runs`, so that no figure is typed by hand.
//!
//! A document holds `<!-- table: NAME -->`, the table, and `<!-- end of table -->`;
//! what stands between the two is replaced. Without the file of measurements a
//! table says that nothing is measured yet.

mod apply;
mod bandwidth;
mod bench;
mod chart;
mod csv;
mod differences;
mod embree;
mod external;
mod findings;
#[cfg(test)]
mod fixtures;
mod forms;
mod freeing;
mod graph;
mod graph_crate;
mod headline;
mod kdtree;
mod kdtree_ray;
mod lines;
#[cfg(test)]
mod links;
mod means;
mod memory;
mod outcome;
mod papers;
mod registers;
mod report;
mod results;
mod runs;
mod sheets;
mod slowdowns;
mod soak;
mod summary;
mod turns;
mod verdict;
mod work;

use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;
use results::Results;

/// Documents with tables, and the folder of all others.
const DOCUMENTS: [&str; 3] = ["README.md", "docs/allocators.md", "docs/reproducing.md"];
const PAGES: &str = "docs/results";
/// The max rows of a table and bytes of the first page: readers get a summary, and the CSV beside
/// the data has all rows.
const MAX_ROWS: usize = 40;
const MAX_BYTES: usize = 15 * 1024;
const BEGIN: &str = "<!-- table: ";
const END: &str = "<!-- end of table -->";
/// The text in place of a table without measurements.
const NOT_MEASURED: &str = "Not measured yet.\n";

/// Renews the tables of all documents, the CSV, the chart and the page or, with `check`, fails if one of
/// them would change.
pub fn run(root: &Path, check: bool) -> Result<()> {
    let results = Results::read(&root.join("docs/results/runs"))?;
    let mut documents = DOCUMENTS.map(str::to_owned).to_vec();
    pages(root, Path::new(PAGES), &mut documents)?;
    for document in documents {
        let old = fs::read_to_string(root.join(&document))
            .map_err(|error| format!("{document}: {error}"))?;
        let new = replaced(&old, |name| table(name, &results))
            .map_err(|error| format!("{document}: {error}"))?;
        if document == "docs/results/README.md" && new.len() > MAX_BYTES {
            return Err(format!("{document}: more than {MAX_BYTES} bytes"));
        }
        renew(root, &document, &old, &new, check)?;
    }
    csv::run(root, check)?;
    // All of the chart is made, so one that cannot be read is one to be written.
    let old = fs::read_to_string(root.join(chart::PATH)).unwrap_or_default();
    renew(root, chart::PATH, &old, &chart::svg(&results)?, check)?;
    report::run(root, check)
}

/// Adds the Markdown files of a folder and of those in it.
fn pages(root: &Path, folder: &Path, found: &mut Vec<String>) -> Result<()> {
    for entry in entries(root, folder)? {
        if root.join(&entry).is_dir() {
            pages(root, &entry, found)?;
        } else if entry.extension().is_some_and(|ending| ending == "md") {
            found.push(entry.display().to_string());
        }
    }
    Ok(())
}

/// The entries of a folder, from the root of the repository, in order.
fn entries(root: &Path, folder: &Path) -> Result<Vec<PathBuf>> {
    let error = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut entries: Vec<PathBuf> = fs::read_dir(root.join(folder))
        .map_err(error)?
        .map(|entry| Ok(folder.join(entry?.file_name())))
        .collect::<std::io::Result<_>>()
        .map_err(error)?;
    entries.sort();
    Ok(entries)
}

/// Writes a text that differs from what the results give, or, with `check`, refuses it.
fn renew(root: &Path, name: &str, old: &str, new: &str, check: bool) -> Result<()> {
    renew_bytes(root, name, old == new, new.as_bytes(), check)
}

/// Writes a file unless it is the same, or, with `check`, refuses it.
fn renew_bytes(root: &Path, name: &str, is_same: bool, new: &[u8], check: bool) -> Result<()> {
    if is_same {
        return Ok(());
    }
    if check {
        return Err(format!(
            "{name}: not what docs/results gives; run `cargo xtask tables`"
        ));
    }
    fs::write(root.join(name), new).map_err(|error| format!("{name}: {error}"))?;
    println!("{name}: renewed");
    Ok(())
}

/// The table of this name.
fn table(name: &str, results: &Results) -> Result<String> {
    let words: Vec<&str> = name.split_whitespace().collect();
    match words[..] {
        ["run", name] => runs::table(&results.folder, name),
        ["differences"] => Ok(differences::list()),
        ["registers"] => Ok(registers::table(results)),
        ["graph-crate"] => Ok(graph_crate::table(results)),
        ["kdtree", "builds"] => kdtree::builds(results, false),
        ["kdtree", "builds", "per-split"] => kdtree::builds(results, true),
        ["kdtree", "allocators"] => kdtree::allocators(results),
        ["kdtree", "trees"] => kdtree::trees(results),
        ["embree"] => Ok(embree::table(results)),
        ["findings", scene, graph] => findings::list(results, scene, graph),
        ["kdtree", "ray"] => Ok(kdtree_ray::table(results)),
        ["kdtree", "slowdowns", number] => slowdowns::table(results, number),
        ["graph", "apply"] => apply::by_graph(results),
        ["graph", "apply", "allocators"] => apply::by_allocator(results),
        ["graph", "best"] => graph::best(results),
        ["graph", "algorithms"] => graph::algorithms(results),
        ["graph", "bandwidth"] => bandwidth::table(results),
        ["graph", "loads"] => memory::loads(results),
        ["graph", "memory"] => memory::bytes(results),
        ["graph", "csr"] => memory::ratios(results),
        ["external", "bench"] => external::bench(results),
        ["external", "kdtree"] => external::trees(results),
        ["external", "graph"] => external::graphs(results),
        ["papers", name] => papers::table(results, name),
        ["soak"] => soak::table(results),
        ["turns"] => turns::table(results),
        ["bench", "forms", heap] => forms::table(results, heap),
        ["headline", scene, graph] => headline::table(results, scene, graph),
        ["summary", scene, graph] => summary::table(results, scene, graph),
        ["bench", "means"] => means::table(results),
        ["bench", "verdict"] => verdict::table(results),
        ["bench", workload, kernel, heap] => bench::table(results, workload, kernel, heap, None),
        ["bench", workload, kernel, heap, threads] => {
            let threads = threads
                .parse()
                .map_err(|_| format!("`{threads}` is no number of threads"))?;
            bench::table(results, workload, kernel, heap, Some(threads))
        }
        _ => Err(format!("there is no table `{name}`")),
    }
}

/// `text` with what stands between the marks replaced.
fn replaced(text: &str, table: impl Fn(&str) -> Result<String>) -> Result<String> {
    let mut new = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (name, body) = after
            .split_once(" -->")
            .ok_or("the name of a table does not end")?;
        let (_, behind) = body
            .split_once(END)
            .ok_or_else(|| format!("the table `{name}` does not end"))?;
        new.push_str(before);
        let text = table(name)?;
        // The titles and the line below them are not rows.
        let rows = text.lines().filter(|line| line.starts_with('|')).count();
        if rows > MAX_ROWS + 2 {
            return Err(format!("the table `{name}` has more than {MAX_ROWS} rows"));
        }
        new.push_str(&format!("{BEGIN}{name} -->\n\n{text}\n{END}"));
        rest = behind;
    }
    new.push_str(rest);
    Ok(new)
}

/// Each of these once, in the order in which they come first.
fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// A Markdown table; all columns but the first hold numbers.
fn markdown(titles: &[String], rows: &[Vec<String>]) -> String {
    let mut text = format!("| {} |\n|---|", titles.join(" | "));
    text.push_str(&"---:|".repeat(titles.len().saturating_sub(1)));
    text.push('\n');
    for row in rows {
        text.push_str(&format!("| {} |\n", row.join(" | ")));
    }
    text
}

/// A time in milliseconds with three significant digits.
fn milliseconds(time: f64) -> String {
    let digits = match time.abs() {
        t if t >= 100.0 => 0,
        t if t >= 10.0 => 1,
        t if t >= 1.0 => 2,
        t if t >= 0.1 => 3,
        _ => 4,
    };
    format!("{time:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_the_marks_is_replaced() {
        let text = "a\n<!-- table: x y -->\nold\n<!-- end of table -->\nb\n";
        let new = replaced(text, |name| Ok(format!("[{name}]\n"))).expect("marks are in pairs");
        assert_eq!(
            new,
            "a\n<!-- table: x y -->\n\n[x y]\n\n<!-- end of table -->\nb\n"
        );
        let again = replaced(&new, |name| Ok(format!("[{name}]\n")));
        assert_eq!(again.as_deref(), Ok(new.as_str()));
        assert!(replaced("<!-- table: x -->", |_| Ok(String::new())).is_err());
    }

    #[test]
    fn long_tables_are_refused() {
        let text = "<!-- table: x -->\n<!-- end of table -->\n";
        let rows = |count: usize| replaced(text, |_| Ok("| a |\n".repeat(count)));
        assert!(rows(MAX_ROWS + 2).is_ok() && rows(MAX_ROWS + 3).is_err());
    }

    #[test]
    fn a_check_refuses_what_differs_and_writes_nothing() {
        let nowhere = Path::new("no/such/folder");
        assert_eq!(renew(nowhere, "a.svg", "same", "same", true), Ok(()));
        let refused = renew(nowhere, "a.svg", "old", "new", true);
        assert!(refused.is_err_and(|error| error.starts_with("a.svg: not what")));
    }

    #[test]
    fn unknown_tables_are_refused() {
        assert!(table("bench threads", &Results::default()).is_err());
        assert!(table("papers some", &Results::default()).is_err());
        assert!(table("bench threads free warm many", &Results::default()).is_err());
    }

    #[test]
    fn without_measurements_tables_say_so() {
        for name in [
            "kdtree builds",
            "kdtree allocators",
            "kdtree trees",
            "kdtree slowdowns 3",
            "graph best",
            "graph algorithms",
            "graph bandwidth",
            "graph loads",
            "graph memory",
            "graph csr",
            "soak",
            "external bench",
            "external kdtree",
            "external graph",
            "graph apply",
            "graph apply allocators",
            "bench means",
            "papers warps",
            "papers threads",
            "papers fragmentation",
            "papers layouts",
            "papers pool",
            "headline some other",
            "findings some other",
            "embree",
            "summary some other",
            "bench verdict",
            "bench threads malloc warm 10000",
        ] {
            let text = table(name, &Results::default());
            assert_eq!(text.as_deref(), Ok(NOT_MEASURED), "{name}");
        }
    }
}
