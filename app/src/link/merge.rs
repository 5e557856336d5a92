//! The kernels and PTX of the user's as the text of one module, which the driver compiles as a
//! whole: it knows then which registers the functions take, and kernels take fewer.

use super::{
    FREE, FREE_STUB, GRANTED, GRANTED_STUB, INIT, INIT_STUB, Kind, Link, LinkError, MALLOC,
};

/// The version and target at the head of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Head<'a> {
    /// The version of PTX.
    version: (u32, u32),
    /// The number of the architecture, and what it is called.
    target: (u32, &'a str),
}

/// The kernels' PTX with that of all files in front of it. Functions that are left out are those
/// of a link.
///
/// # Errors
///
/// [`LinkError::NotText`] for a file that is no PTX, and functions that are missing, or there and
/// said not to be.
pub fn merged(kernels: &str, link: &Link, frees: bool) -> Result<String, LinkError> {
    let mut texts = Vec::new();
    for file in link.device_files() {
        let text = std::str::from_utf8(&file.bytes).ok();
        let text = text.filter(|_| file.kind == Kind::Ptx);
        texts.push(text.ok_or_else(|| LinkError::NotText {
            path: file.path.clone(),
            kind: file.kind,
        })?);
    }
    let has = |name| link.has_on_gpu(name);
    if !has(MALLOC) {
        return Err(LinkError::Missing { function: MALLOC });
    }
    match (frees, has(FREE)) {
        (true, false) => return Err(LinkError::Missing { function: FREE }),
        (false, true) => return Err(LinkError::Frees),
        (true, true) => {}
        (false, false) => texts.push(FREE_STUB),
    }
    if !has(INIT) {
        texts.push(INIT_STUB);
    }
    if !has(GRANTED) {
        texts.push(GRANTED_STUB);
    }
    let heads = texts.iter().chain([&kernels]).map(|text| head(text));
    let (version, target) = heads.fold(((7, 0), (70, "sm_70")), |most, head| {
        (most.0.max(head.version), most.1.max(head.target))
    });
    let mut module = format!(
        ".version {}.{}\n.target {}\n.address_size 64\n",
        version.0, version.1, target.1
    );
    for text in texts {
        body(text.trim_end_matches('\0'), &mut module);
    }
    body(&without_declarations(kernels), &mut module);
    Ok(module)
}

/// The head of a module; what it does not say is the least.
fn head(text: &str) -> Head<'_> {
    let value = |name: &str| {
        let mut lines = text.lines();
        lines.find_map(|line| {
            line.trim_start()
                .strip_prefix(name)?
                .split_whitespace()
                .next()
        })
    };
    let version = value(".version ").and_then(|version| {
        let (major, minor) = version.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    });
    let target = value(".target ").map(|target| target.trim_end_matches(','));
    let number = |target: &str| {
        let digits: String = target.chars().filter(char::is_ascii_digit).collect();
        digits.parse().unwrap_or(0)
    };
    Head {
        version: version.unwrap_or((0, 0)),
        target: target.map_or((0, ""), |target| (number(target), target)),
    }
}

/// Adds a module's text without its head.
fn body(text: &str, to: &mut String) {
    let heads = [".version", ".target", ".address_size"];
    for line in text.lines() {
        if !heads.iter().any(|head| line.trim_start().starts_with(head)) {
            to.push_str(line);
            to.push('\n');
        }
    }
}

/// The kernels without the declarations of the functions, which are defined in front of them.
fn without_declarations(kernels: &str) -> String {
    let mut kept = String::with_capacity(kernels.len());
    let mut in_declaration = false;
    for line in kernels.lines() {
        in_declaration |= line.starts_with(".extern .func") && line.contains(" heapwood_");
        if !in_declaration {
            kept.push_str(line);
            kept.push('\n');
        }
        in_declaration &= !line.trim_end().ends_with(';');
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::LinkedFile;
    use super::*;

    const KERNELS: &str = ".version 7.0\n.target sm_70\n.address_size 64\n\
        .extern .func  (.param .b64 func_retval0) heapwood_malloc\n(\n\t.param .b64 p_0\n)\n;\n\
        .extern .func other\n(\n)\n;\n.visible .entry a(\n)\n{\ncall heapwood_malloc;\n}\n";

    fn link(texts: &[&str]) -> Link {
        let file = |text: &&str| {
            let bytes = text.as_bytes().to_vec();
            LinkedFile::new(PathBuf::from("a.ptx"), Kind::Ptx, bytes)
        };
        Link {
            files: texts.iter().map(file).collect(),
            merge: true,
        }
    }

    #[test]
    fn definitions_take_the_place_of_declarations() {
        let mine = ".version 8.4\n.target sm_90a, debug\n.address_size 64\n\
            .visible .func (.param .b64 r) heapwood_malloc()\n{\n}\n";
        let text = merged(KERNELS, &link(&[mine]), false).unwrap();
        assert!(text.starts_with(".version 8.4\n.target sm_90a\n.address_size 64\n"));
        assert_eq!(text.matches(".version").count(), 1);
        assert!(!text.contains(".extern .func  ("), "{text}");
        assert!(text.contains(".extern .func other\n(\n)\n;\n.visible .entry a("));
        assert!(text.contains("call heapwood_malloc;"));
        let places = [
            "heapwood_malloc()",
            "heapwood_free(",
            "heapwood_init(",
            "heapwood_granted(",
            ".entry a(",
        ];
        let places = places.map(|part| text.find(part).unwrap());
        assert!(places.is_sorted(), "{text}");
    }

    #[test]
    fn functions_are_there_or_said_not_to_be() {
        let malloc = ".func heapwood_malloc()\n{\n}\n";
        let free = ".func heapwood_free()\n{\n}\n.func heapwood_init()\n{\n}\n";
        let granted = ".func (.param .b64 r) heapwood_granted()\n{\n}\n";
        let text = merged(KERNELS, &link(&[malloc, free, granted]), true).unwrap();
        assert_eq!(text.matches("heapwood_init").count(), 1);
        assert_eq!(text.matches("heapwood_granted").count(), 1);
        assert!(text.starts_with(".version 7.0\n.target sm_70\n"));
        let refused = |files: &[&str], frees| merged(KERNELS, &link(files), frees).unwrap_err();
        assert_eq!(refused(&[malloc, free], false), LinkError::Frees);
        assert_eq!(
            refused(&[malloc], true),
            LinkError::Missing { function: FREE }
        );
        assert_eq!(
            refused(&[free], true),
            LinkError::Missing { function: MALLOC }
        );
        let mut object = link(&[malloc]);
        object.files[0].kind = Kind::Object;
        let error = merged(KERNELS, &object, false).unwrap_err();
        assert!(error.to_string().contains("merging takes PTX"), "{error}");
    }
}
