//! Texture maps of MTL: `map_Kd -s 2 2 -clamp on wood.png`.

use super::keyword;
use crate::Wrap;
use crate::beside::unquoted;

/// A statement that names a texture.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Map {
    /// The library that it is in, and its line there.
    pub library: String,
    pub line: usize,
    /// The image, as named: its place beside the library.
    pub file: String,
    pub wrap: Wrap,
    /// As in [`Texture`](crate::Texture).
    pub map: [f32; 6],
}

/// The map of a material's value, by the keyword of MTL.
pub(super) fn kind(word: &str) -> Option<&'static str> {
    let mut read = ["map_Kd", "map_Ke", "map_d"].into_iter();
    read.find(|known| known.eq_ignore_ascii_case(word))
}

/// Options that have no effect, and how many words follow them.
const IGNORED: [(&str, usize); 9] = [
    ("-mm", 2),
    ("-blendu", 1),
    ("-blendv", 1),
    ("-boost", 1),
    ("-texres", 1),
    ("-bm", 1),
    ("-imfchan", 1),
    ("-cc", 1),
    ("-type", 1),
];

/// The words after the keyword, and the options in it that have no effect; none if it is not
/// understood. Options are before the file, or behind it, as some programs write them.
pub(super) fn parse(library: &str, line: usize, rest: &str) -> Option<(Map, Vec<String>)> {
    let mut options = Options::default();
    let rest = options.read(rest, true)?;
    let (file, behind) = file_of(rest);
    let left = options.read(behind, false)?;
    let [[su, sv], [ou, ov]] = [options.scale, options.offset];
    let map = Map {
        library: library.to_owned(),
        line,
        // Separators of Windows, which other systems take for a part of the name.
        file: unquoted(file).replace('\\', "/"),
        wrap: options.wrap,
        // Rows of an image go down, `v` goes up.
        map: [su, 0.0, ou, 0.0, -sv, 1.0 - ov],
    };
    (!map.file.is_empty() && left.is_empty()).then_some((map, options.ignored))
}

/// The file at the start of a text, and the options behind it.
fn file_of(text: &str) -> (&str, &str) {
    if let Some(end) = text.strip_prefix('"').and_then(|rest| rest.find('"')) {
        let (file, behind) = text.split_at(end + 2);
        return (file, behind.trim_start());
    }
    let mut options = text.match_indices(" -");
    let first = options.find(|(at, _)| is_option(keyword(&text[at + 1..]).0));
    first.map_or((text, ""), |(at, _)| {
        (text[..at].trim_end(), &text[at + 1..])
    })
}

fn is_option(word: &str) -> bool {
    ["-s", "-o", "-t", "-clamp"].contains(&word) || IGNORED.iter().any(|(name, _)| *name == word)
}

/// Options of a texture map.
struct Options {
    scale: [f32; 2],
    offset: [f32; 2],
    wrap: Wrap,
    /// Those that have no effect.
    ignored: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            scale: [1.0; 2],
            offset: [0.0; 2],
            wrap: Wrap::Repeat,
            ignored: Vec::new(),
        }
    }
}

impl Options {
    /// Reads the options at the start of a text, before a file or at the end of the line, and
    /// returns the rest; none if one is not understood.
    fn read<'a>(&mut self, mut rest: &'a str, is_before_file: bool) -> Option<&'a str> {
        while rest.starts_with('-') {
            let option;
            (option, rest) = keyword(rest);
            rest = match option {
                "-s" => numbers(rest, &mut self.scale, is_before_file)?,
                "-o" => numbers(rest, &mut self.offset, is_before_file)?,
                "-clamp" => {
                    let (switch, after) = keyword(rest);
                    self.wrap = match switch {
                        "on" => Wrap::Clamp,
                        "off" => Wrap::Repeat,
                        _ => return None,
                    };
                    after
                }
                "-t" => {
                    self.ignored.push(option.to_owned());
                    numbers(rest, &mut [0.0; 2], is_before_file)?
                }
                _ => {
                    let (_, words) = IGNORED.iter().find(|(name, _)| *name == option)?;
                    self.ignored.push(option.to_owned());
                    (0..*words).fold(rest, |rest, _| keyword(rest).1)
                }
            };
        }
        Some(rest)
    }
}

/// Reads one number to three, the third for textures of volumes, and returns the
/// rest. Before a file the last word is the file, even if it is a number.
fn numbers<'a>(text: &'a str, values: &mut [f32; 2], is_before_file: bool) -> Option<&'a str> {
    let mut left = text;
    for count in 0..3 {
        let (word, after) = keyword(left);
        let value = word.parse().ok().filter(|value: &f32| value.is_finite());
        let Some(value) = value.filter(|_| !after.is_empty() || !is_before_file) else {
            return (count > 0).then_some(left);
        };
        if let Some(place) = values.get_mut(count) {
            *place = value;
        }
        left = after;
    }
    Some(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(rest: &str) -> Option<(String, Wrap, [f32; 6], String)> {
        let (map, ignored) = parse("m", 1, rest)?;
        Some((map.file, map.wrap, map.map, ignored.join(" ")))
    }

    #[test]
    fn options_are_read_and_the_rest_is_the_file() {
        let plain = [1.0, 0.0, 0.0, 0.0, -1.0, 1.0];
        let of = |file: &str, wrap, map, ignored: &str| {
            Some((file.to_owned(), wrap, map, ignored.to_owned()))
        };
        assert_eq!(read("a b.png"), of("a b.png", Wrap::Repeat, plain, ""));
        assert_eq!(read(r"x\a.png"), of("x/a.png", Wrap::Repeat, plain, ""));
        assert_eq!(
            read("-s 2 3 1 -o 0.5 0.25 -clamp on 7"),
            of("7", Wrap::Clamp, [2.0, 0.0, 0.5, 0.0, -3.0, 0.75], "")
        );
        assert_eq!(
            read("-s 4 1.png"),
            of("1.png", Wrap::Repeat, [4.0, 0.0, 0.0, 0.0, -1.0, 1.0], "")
        );
        assert_eq!(
            read("-blendu on -mm 0 1 -bm 2 -t 1 1 1 -imfchan r c.png"),
            of("c.png", Wrap::Repeat, plain, "-blendu -mm -bm -t -imfchan")
        );
        let scaled = [2.0, 0.0, 0.5, 0.0, -3.0, 1.0];
        for text in [
            "t.png -s 2 3 1 -o 0.5",
            "-s 2 3 1 t.png -o 0.5 0 0",
            "\"t.png\" -o 0.5 -s 2 3",
            "-o 0.5 -s 2 3 \"t.png\"",
        ] {
            assert_eq!(read(text), of("t.png", Wrap::Repeat, scaled, ""), "{text}");
        }
        assert_eq!(
            read("a -b.png -bm 1 -clamp on"),
            of("a -b.png", Wrap::Clamp, plain, "-bm")
        );
        assert_eq!(
            read("\"a -s 2.png\""),
            of("a -s 2.png", Wrap::Repeat, plain, "")
        );
    }

    #[test]
    fn what_is_no_map_is_none() {
        for bad in [
            "",
            "-s",
            "-s x a.png",
            "-s 5",
            "-clamp maybe a.png",
            "-new 1 a.png",
            "-clamp on",
            "-mm 1",
            "a.png -s",
            "a.png -s 1 b",
            "\"\"",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn keywords_are_known_in_any_case() {
        assert_eq!(kind("map_kd"), Some("map_Kd"));
        assert_eq!(kind("MAP_D"), Some("map_d"));
        assert_eq!(kind("map_Ks"), None);
    }
}
