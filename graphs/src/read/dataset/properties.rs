//! The properties of a dataset: keys `graph.NAME.KEY`, and errors that name the line of a value.

use std::path::Path;

use crate::error::excerpt;
use crate::read::load_list;
use crate::read::properties::{PropertyEntry, find, properties};
use crate::{GraphError, LineProblem};

/// The end of the key that tells the graph's name.
const VERTEX_FILE: &str = ".vertex-file";

/// The properties of one graph.
#[derive(Clone, Debug)]
pub(super) struct DatasetProperties {
    /// The file of the properties.
    path: String,
    entries: Vec<PropertyEntry>,
    /// The graph's name.
    pub name: String,
}

impl DatasetProperties {
    /// Reads a file of properties. If it describes several graphs, that one counts whose name is the
    /// file's.
    pub fn read(path: &Path) -> Result<Self, GraphError> {
        let entries = load_list(path, |text| Ok(properties(text)))?;
        let stem = heapwood_files::stem(path);
        let path = path.display().to_string();
        let named = entries.iter().filter_map(|entry| {
            let name = entry.key.strip_prefix("graph.")?;
            Some((name.strip_suffix(VERTEX_FILE)?, entry))
        });
        let named: Vec<(&str, &PropertyEntry)> = named.collect();
        let Some(&(first, _)) = named.first() else {
            let key = format!("graph.{stem}{VERTEX_FILE}");
            return Err(GraphError::NoProperty { path, key });
        };
        let name = match named.iter().find(|(name, _)| *name != first) {
            None => first.to_owned(),
            Some(_) if named.iter().any(|(name, _)| *name == stem) => stem,
            Some((_, other)) => {
                let rule = "is of a second graph: give the file the name of one of them";
                return Err(fault(path, other, &other.value, rule));
            }
        };
        if let Some((_, entry)) = named.iter().find(|(name, _)| name.contains(['/', '\\'])) {
            // Files of output have the name.
            let rule = "is of a graph with a slash in its name: leave that out";
            return Err(fault(path, entry, &entry.value, rule));
        }
        Ok(Self {
            path,
            entries,
            name,
        })
    }

    /// The entry of a key of the graph.
    pub fn get(&self, key: &str) -> Option<&PropertyEntry> {
        find(&self.entries, &self.whole_key(key))
    }

    /// The same of a key that has to be there.
    pub fn require(&self, key: &str) -> Result<&PropertyEntry, GraphError> {
        self.get(key).ok_or_else(|| GraphError::NoProperty {
            path: self.path.clone(),
            key: self.whole_key(key),
        })
    }

    /// The error of a part of a value that breaks a rule.
    pub fn fault(&self, entry: &PropertyEntry, part: &str, rule: &'static str) -> GraphError {
        fault(self.path.clone(), entry, part, rule)
    }

    fn whole_key(&self, key: &str) -> String {
        format!("graph.{}.{key}", self.name)
    }
}

fn fault(path: String, entry: &PropertyEntry, part: &str, rule: &'static str) -> GraphError {
    GraphError::Line {
        path,
        line: entry.line,
        problem: LineProblem::Property {
            key: entry.key.escape_debug().to_string(),
            value: excerpt(part.as_bytes()),
            rule,
        },
    }
}

impl PropertyEntry {
    /// The values of a list, which commas separate.
    pub fn list(&self) -> impl Iterator<Item = &str> {
        let values = self.value.split(',').map(str::trim);
        values.filter(|value| !value.is_empty())
    }
}
