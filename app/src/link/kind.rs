//! The kind of a file to link, by its first bytes.

use std::borrow::Cow;

pub use heapwood_results::meta::FileKind as Kind;

/// The section of an object that relocatable device code is in.
const RELOCATABLE: &[u8] = b"__nv_relfatbin";
/// A part of the name of every section with device code.
const DEVICE_CODE: &[u8] = b"nv_fatbin";
/// ELF's number of the machine of a cubin.
const CUDA: u16 = 190;
/// ELF's types of a file: a relocatable one, a program (as device code that was linked is), a
/// shared library.
const RELOCATABLE_FILE: u16 = 1;
#[cfg(test)]
const PROGRAM: u16 = 2;
const SHARED: u16 = 3;
/// ELF's number of the machine that this program runs on, where it is one of the usual.
const HERE: Option<u16> = if cfg!(target_arch = "x86_64") {
    Some(62)
} else if cfg!(target_arch = "aarch64") {
    Some(183)
} else {
    None
};
/// Mach-O's type of a relocatable file.
const MACH_OBJECT: u8 = 1;

/// The kind of a file with these bytes, if it can be linked or is likely to be mistaken for one.
pub fn of(bytes: &[u8]) -> Option<Kind> {
    let begins = |magic: &[u8]| bytes.starts_with(magic);
    if begins(b"\x7fELF") {
        return elf(bytes);
    }
    if begins(b"\x50\xed\x55\xba") {
        return Some(Kind::Fatbin);
    }
    if begins(b"!<arch>\n") {
        return Some(with_code(bytes, Kind::Archive));
    }
    if begins(b"\xcf\xfa\xed\xfe") {
        return Some(match bytes.get(12) {
            Some(&MACH_OBJECT) => Kind::HostObject,
            _ => Kind::SharedLibrary,
        });
    }
    if begins(b"MZ") {
        return Some(Kind::SharedLibrary);
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.trim_end_matches('\0');
    let is_ptx = !text.contains('\0')
        && text
            .lines()
            .any(|line| line.trim_start().starts_with(".version"));
    is_ptx.then_some(Kind::Ptx)
}

/// Whether a shared library is for another processor. The system often reports such a file as
/// missing.
pub fn is_foreign(bytes: &[u8]) -> bool {
    let is_elf = bytes.starts_with(b"\x7fELF");
    is_elf && HERE.is_some_and(|here| word(bytes, 18).is_some_and(|machine| machine != here))
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    let word: [u8; 2] = bytes.get(at..at + 2)?.try_into().ok()?;
    Some(u16::from_le_bytes(word))
}

fn elf(bytes: &[u8]) -> Option<Kind> {
    match (word(bytes, 16)?, word(bytes, 18)?) {
        (RELOCATABLE_FILE, CUDA) => Some(Kind::Cubin),
        (_, CUDA) => Some(Kind::Whole),
        (RELOCATABLE_FILE, _) => Some(with_code(bytes, Kind::Object)),
        (SHARED, _) => Some(Kind::SharedLibrary),
        _ => None,
    }
}

/// The kind of an object of the host: `kind` if it has relocatable device code.
fn with_code(bytes: &[u8], kind: Kind) -> Kind {
    if contains(bytes, RELOCATABLE) {
        kind
    } else if contains(bytes, DEVICE_CODE) {
        Kind::Whole
    } else {
        Kind::HostObject
    }
}

/// Whether a cubin, or another ELF file as one, or PTX has a symbol of this name.
pub fn names_in(kind: Kind, bytes: &[u8], name: &str) -> bool {
    let is_part = |byte: Option<&u8>| {
        byte.is_some_and(|&byte| byte.is_ascii_alphanumeric() || b"_$".contains(&byte))
    };
    let name = name.as_bytes();
    let bytes = &*match kind {
        Kind::Ptx => Cow::from(without_comments(bytes)),
        _ => Cow::from(bytes),
    };
    let mut places = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(name));
    places.any(|at| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let behind = bytes.get(at + name.len());
        match kind {
            // In a table of names, each with a zero behind it; a section's begins with a point.
            Kind::Cubin => before == Some(&0) && behind == Some(&0),
            _ => !is_part(before) && !is_part(behind),
        }
    })
}

/// PTX with a blank for each comment: to the end of the line, or to `*/`, as in C.
fn without_comments(text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(&first) = rest.first() {
        let end: &[u8] = match rest {
            [b'/', b'/', ..] => b"\n",
            [b'/', b'*', ..] => b"*/",
            _ => {
                kept.push(first);
                rest = &rest[1..];
                continue;
            }
        };
        kept.push(b' ');
        let length = rest[2..].windows(end.len()).position(|part| part == end);
        // The end of a line is none of its comment.
        let behind = length.map(|length| 2 + length + if end == b"\n" { 0 } else { end.len() });
        rest = behind.map_or(&[], |behind| &rest[behind..]);
    }
    kept
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The begin of an ELF file of this type and machine, and what is in it.
    fn elf(kind: u16, machine: u16, rest: &[u8]) -> Vec<u8> {
        let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
        file.extend(kind.to_le_bytes());
        file.extend(machine.to_le_bytes());
        file.extend(rest);
        file
    }

    #[test]
    fn files_are_known_by_how_they_begin() {
        let x86 = 62;
        let cases = [
            (elf(RELOCATABLE_FILE, CUDA, b""), Some(Kind::Cubin)),
            (elf(PROGRAM, CUDA, b""), Some(Kind::Whole)),
            (
                elf(RELOCATABLE_FILE, x86, b"\0.text\0"),
                Some(Kind::HostObject),
            ),
            (
                elf(RELOCATABLE_FILE, x86, b"\0__nv_relfatbin\0"),
                Some(Kind::Object),
            ),
            (
                elf(RELOCATABLE_FILE, x86, b"\0.nv_fatbin\0"),
                Some(Kind::Whole),
            ),
            (
                elf(SHARED, x86, b"\0__nv_relfatbin\0"),
                Some(Kind::SharedLibrary),
            ),
            (elf(PROGRAM, x86, b""), None),
            (b"\x7fELF\x02\x01".to_vec(), None),
            (b"\x50\xed\x55\xba\x01\0".to_vec(), Some(Kind::Fatbin)),
            (
                b"!<arch>\na.o/ __nv_relfatbin".to_vec(),
                Some(Kind::Archive),
            ),
            (b"!<arch>\na.o/".to_vec(), Some(Kind::HostObject)),
            (
                b"// by hand\n.version 7.0\n.target sm_70\n".to_vec(),
                Some(Kind::Ptx),
            ),
            (b".version 7.0\n\0".to_vec(), Some(Kind::Ptx)),
            (b".version 7.0\n\0\x01".to_vec(), None),
            (b"extern \"C\" void* heapwood_malloc".to_vec(), None),
            (b"MZ\x90".to_vec(), Some(Kind::SharedLibrary)),
            (Vec::new(), None),
        ];
        for (file, kind) in cases {
            let shown = String::from_utf8_lossy(&file).into_owned();
            assert_eq!(of(&file), kind, "{shown:?}");
        }
        let mut mach = b"\xcf\xfa\xed\xfe\x07\0\0\x01\x03\0\0\0".to_vec();
        mach.push(6);
        assert_eq!(of(&mach), Some(Kind::SharedLibrary));
        mach[12] = MACH_OBJECT;
        assert_eq!(of(&mach), Some(Kind::HostObject));
    }

    #[test]
    fn symbols_are_whole_names() {
        let text = |text: &str| names_in(Kind::Ptx, text.as_bytes(), "heapwood_malloc");
        assert!(text(".visible .func  (.param .b64 r) heapwood_malloc(\n"));
        for other in [
            "_Z15heapwood_mallocPvy(",
            "heapwood_malloc_param_0",
            "heapwood_",
            ".func other() // not heapwood_malloc",
            "/* heapwood_malloc */",
            "/* by\n hand: heapwood_malloc(\n*/ .func other()",
            "/* no end: heapwood_malloc()",
        ] {
            assert!(!text(other), "{other}");
        }
        for own in [
            "// by hand\n.func heapwood_malloc()",
            "/* heapwood_free */ .func heapwood_malloc()",
            "// a comment /* with the begin of another\n.func heapwood_malloc()",
            ".func /* of */heapwood_malloc/**/()",
        ] {
            assert!(text(own), "{own}");
        }
        let cubin = |bytes: &[u8]| names_in(Kind::Cubin, bytes, "heapwood_malloc");
        assert!(cubin(b"\0.text.heapwood_malloc\0heapwood_malloc\0"));
        assert!(!cubin(b"\0.text.heapwood_malloc\0_Z15heapwood_mallocPvy\0"));
    }
}
