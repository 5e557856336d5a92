//! The collection that a page carries along, so that another page can add to it: JSON, compressed,
//! in base64. Its quantities are columns there, which are three quarters of what rows would be.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lzma_rust2::{XzOptions, XzReader, XzWriter};
use serde_json::{Map, Value};

use crate::Collection;
use crate::error::PageFault;

/// The element that has the collection, up to its content.
pub const OPENING: &str = r#"<script type="application/x-xz" id="collection" data-version="1">"#;
/// The beginning of the element in every version.
const ANY_OPENING: &str = r#"<script type="application/x-xz" id="collection""#;
/// Its end.
pub const CLOSING: &str = "</script>";
/// The bytes of JSON that a page may carry at most: a damaged one must not take all memory.
const MAX_JSON_BYTES: u64 = 1 << 30;
/// The compression, of 0 to 9.
const PRESET: u32 = 9;

/// The key of the quantities.
const MEASURED: &str = "measured";

/// The collection in base64.
pub fn encode(collection: &Collection) -> String {
    let mut json = serde_json::to_value(collection).expect("strings and numbers are JSON");
    if let Some(rows) = json.get_mut(MEASURED) {
        *rows = columns(rows.take());
    }
    let options = XzOptions::with_preset(PRESET);
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
            .push(value.clone());
    }
    Value::Object(columns)
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
            row.insert(key.clone(), value.clone());
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
    if let Some(measured) = json.get_mut(MEASURED) {
        *measured = rows(measured).ok_or_else(|| damaged("columns are not equal".to_owned()))?;
    }
    serde_json::from_value(json).map_err(|error| damaged(error.to_string()))
}
