//! Texture maps of MTL: `map_Kd -s 2 2 -clamp on wood.png`.

use super::keyword;
use crate::Wrap;

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

/// What is after the keyword, and the options in it that have no effect; none if it is not
/// understood.
pub(super) fn parse(library: &str, line: usize, rest: &str) -> Option<(Map, Vec<String>)> {
    let mut ignored = Vec::new();
    let (mut scale, mut offset, mut wrap) = ([1.0; 2], [0.0; 2], Wrap::Repeat);
    let mut rest = rest;
    while rest.starts_with('-') {
        let option;
        (option, rest) = keyword(rest);
        match option {
            "-s" => rest = numbers(rest, &mut scale)?,
            "-o" => rest = numbers(rest, &mut offset)?,
            "-clamp" => {
                let switch;
                (switch, rest) = keyword(rest);
                wrap = match switch {
                    "on" => Wrap::Clamp,
                    "off" => Wrap::Repeat,
                    _ => return None,
                };
            }
            _ => {
                rest = arguments(option, rest)?;
                ignored.push(option.to_owned());
            }
        }
    }
    // Separators of Windows, which other systems take for a part of the name.
    let file = rest.replace('\\', "/");
    let [[su, sv], [ou, ov]] = [scale, offset];
    let map = Map {
        library: library.to_owned(),
        line,
        file,
        wrap,
        // Rows of an image go down, `v` goes up.
        map: [su, 0.0, ou, 0.0, -sv, 1.0 - ov],
    };
    (!rest.is_empty()).then_some((map, ignored))
}

/// Reads one number to three, of which the third is for textures of volumes, and returns the
/// rest. The last word is the file, even if it is a number.
fn numbers<'a>(rest: &'a str, values: &mut [f32; 2]) -> Option<&'a str> {
    let mut left = rest;
    for count in 0..3 {
        let (word, after) = keyword(left);
        let value = word.parse().ok().filter(|value: &f32| value.is_finite());
        let Some(value) = value.filter(|_| !after.is_empty()) else {
            return (count > 0).then_some(left);
        };
        if let Some(place) = values.get_mut(count) {
            *place = value;
        }
        left = after;
    }
    Some(left)
}

/// What is after the arguments of an option that has no effect.
fn arguments<'a>(option: &str, rest: &'a str) -> Option<&'a str> {
    let skip = |rest: &'a str| keyword(rest).1;
    match option {
        "-t" => numbers(rest, &mut [0.0; 2]),
        "-mm" => Some(skip(skip(rest))),
        "-blendu" | "-blendv" | "-boost" | "-texres" | "-bm" | "-imfchan" | "-cc" | "-type" => {
            Some(skip(rest))
        }
        _ => None,
    }
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
