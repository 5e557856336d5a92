//! The collection that a page carries along, so that another page can add to it: JSON, compressed,
//! in base64. Its quantities are columns there, and their samples whole numbers: half of what rows of
//! decimals would be.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use heapwood_results::Samples;
use lzma_rust2::{LzmaOptions, XzOptions, XzReader, XzWriter};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::Collection;
use crate::error::PageFault;
use crate::packed::{pack, unpack};

/// The element that has the collection, up to its content.
pub const OPENING: &str = r#"<script type="application/x-xz" id="collection" data-version="2">"#;
/// The beginning of the element in every version.
const ANY_OPENING: &str = r#"<script type="application/x-xz" id="collection""#;
/// Its end.
pub const CLOSING: &str = "</script>";
/// The bytes of JSON that a page may carry at most: a damaged one must not take all memory.
const MAX_JSON_BYTES: u64 = 1 << 30;
/// The compression, of 0 to 9.
const PRESET: u32 = 9;

/// The keys of long lists, whose items have the same keys.
const LISTS: [&str; 2] = ["commands", "measured"];
/// The key of samples.
const SAMPLES: &str = "samples";

/// The collection in base64.
pub fn encode(collection: &Collection) -> String {
    let mut json = serde_json::to_value(collection).expect("strings and numbers are JSON");
    for list in LISTS {
        json[list] = columns(json[list].take());
    }
    let mut options = XzOptions::with_preset(PRESET);
    // For digits: the letter before says more than the place in a word of memory.
    (options.lzma_options.lc, options.lzma_options.pb) = (4, 0);
    options.lzma_options.nice_len = LzmaOptions::NICE_LEN_MAX;
    let mut xz = XzWriter::new(Vec::new(), options).expect("memory takes all");
    serde_json::to_writer(&mut xz, &json).expect("memory takes all");
    STANDARD.encode(xz.finish().expect("memory takes all"))
}

/// A list for each key, of the values in all rows, which have the same keys.
fn columns(rows: Value) -> Value {
    let mut columns = Map::new();
    let rows = rows.as_array().into_iter().flatten();
    for (key, value) in rows.filter_map(Value::as_object).flatten() {
        let column = columns
            .entry(key)
            .or_insert_with(|| Value::Array(Vec::new()));
        column
            .as_array_mut()
            .expect("all are lists")
            .push(match key.as_str() {
                SAMPLES => packed(value),
                _ => value.clone(),
            });
    }
    Value::Object(columns)
}

/// Samples as whole numbers, where that is possible.
fn packed(samples: &Value) -> Value {
    let numbers = Samples::deserialize(samples);
    let numbers = numbers.ok().and_then(|samples| pack(&samples));
    numbers.map_or_else(|| samples.clone(), Value::from)
}

/// The samples of whole numbers, and others as they are.
fn unpacked(value: &Value) -> Value {
    let numbers = Vec::deserialize(value);
    let samples = numbers.ok().and_then(|numbers| unpack(&numbers));
    samples.map_or_else(|| value.clone(), |samples| json!(samples))
}

/// The rows of columns; nothing if they are not equally long.
fn rows(columns: &Value) -> Option<Value> {
    let columns = columns.as_object()?;
    let length = columns
        .values()
        .next()
        .map_or(Some(0), |column| Some(column.as_array()?.len()))?;
    let mut rows = vec![Map::new(); length];
    for (key, column) in columns {
        let column = column.as_array().filter(|column| column.len() == length)?;
        for (row, value) in rows.iter_mut().zip(column) {
            let value = match key.as_str() {
                SAMPLES => unpacked(value),
                _ => value.clone(),
            };
            row.insert(key.clone(), value);
        }
    }
    Some(Value::Array(rows.into_iter().map(Value::Object).collect()))
}

/// The collection that a page carries.
pub fn decode(page: &str) -> Result<Collection, PageFault> {
    let damaged = |why: String| PageFault::Damaged(why);
    let Some((_, rest)) = page.split_once(ANY_OPENING) else {
        return Err(PageFault::NotAPage);
    };
    let version = OPENING.strip_prefix(ANY_OPENING).unwrap_or_default();
    let Some(rest) = rest.strip_prefix(version) else {
        return Err(damaged("they are of another version".to_owned()));
    };
    let (base64, _) = rest
        .split_once(CLOSING)
        .ok_or_else(|| damaged("they end too early".to_owned()))?;
    let xz = STANDARD
        .decode(base64)
        .map_err(|error| damaged(error.to_string()))?;
    let mut json = Vec::new();
    let mut limited = XzReader::new(&xz[..], false).take(MAX_JSON_BYTES);
    limited
        .read_to_end(&mut json)
        .map_err(|error| damaged(error.to_string()))?;
    let mut json: Value =
        serde_json::from_slice(&json).map_err(|error| damaged(error.to_string()))?;
    for list in LISTS {
        let rows = json.get(list).and_then(rows);
        let rows = rows.ok_or_else(|| damaged("columns are not equal".to_owned()))?;
        json[list] = rows;
    }
    serde_json::from_value(json).map_err(|error| damaged(error.to_string()))
}
