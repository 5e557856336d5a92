//! PNG files within text, by the protocols of kitty and of iTerm2.
//!
//! <https://sw.kovidgoyal.net/kitty/graphics-protocol/>,
//! <https://iterm2.com/documentation-images.html>

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The most characters of a part of kitty's pictures.
const PART: usize = 4096;

/// A PNG file as kitty shows it, on so many columns. The terminal's answer is declined: only the
/// shell would read it.
pub fn kitty(png: &[u8], columns: u32) -> String {
    let encoded = STANDARD.encode(png);
    let mut text = String::with_capacity(encoded.len() + encoded.len() / 100 + 64);
    let parts = encoded.as_bytes().chunks(PART);
    let last = parts.len().saturating_sub(1);
    for (number, part) in parts.enumerate() {
        let part = std::str::from_utf8(part).expect("base64 is ASCII");
        let start = match number {
            0 => format!("a=T,f=100,q=2,c={columns},"),
            _ => "q=2,".to_owned(),
        };
        let more = u8::from(number < last);
        write!(text, "\x1b_G{start}m={more};{part}\x1b\\").expect("writing to a string succeeds");
    }
    text.push('\n');
    text
}

/// A PNG file as iTerm2 shows it, as large as it can be on so many columns and lines.
pub fn iterm2(png: &[u8], columns: u32, lines: u32) -> String {
    format!(
        "\x1b]1337;File=inline=1;size={};width={columns};height={lines};preserveAspectRatio=1:{}\x07\n",
        png.len(),
        STANDARD.encode(png)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_cut_into_parts() {
        for length in [1_usize, 3072, 3073, 9000] {
            let png: Vec<u8> = (0..length).map(|byte| byte as u8).collect();
            let text = kitty(&png, 80);
            let parts: Vec<&str> = text
                .strip_suffix('\n')
                .unwrap()
                .split_inclusive("\x1b\\")
                .collect();
            assert_eq!(parts.len(), length.div_ceil(3072));
            let mut encoded = String::new();
            for (number, part) in parts.iter().enumerate() {
                let part = part
                    .strip_prefix("\x1b_G")
                    .unwrap()
                    .strip_suffix("\x1b\\")
                    .unwrap();
                let (keys, payload) = part.split_once(';').unwrap();
                let more = if number + 1 < parts.len() {
                    "m=1"
                } else {
                    "m=0"
                };
                let start = if number == 0 {
                    "a=T,f=100,q=2,c=80,"
                } else {
                    "q=2,"
                };
                assert_eq!(keys, format!("{start}{more}"));
                assert!(payload.len() <= PART);
                encoded.push_str(payload);
            }
            assert_eq!(STANDARD.decode(encoded).unwrap(), png);
        }
    }

    #[test]
    fn a_picture_is_a_file() {
        assert_eq!(
            iterm2(b"png", 80, 23),
            "\x1b]1337;File=inline=1;size=3;width=80;height=23;preserveAspectRatio=1:cG5n\x07\n"
        );
    }
}
