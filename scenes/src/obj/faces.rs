//! The faces of checked text, for what few files need: which vertices they use.

use std::collections::HashSet;

use super::pieces::Pieces;

/// The first of these vertices, numbered from 1 in the order of the file, that a face uses.
pub(super) fn first_used(vertices: &[usize], body: &Pieces) -> Option<usize> {
    let among: HashSet<usize> = vertices.iter().copied().collect();
    let used: HashSet<usize> = faces(body)
        .flatten()
        .filter(|vertex| among.contains(vertex))
        .collect();
    vertices.iter().position(|vertex| used.contains(vertex))
}

/// The vertex of each corner of all faces, from 0 on.
pub(super) fn corners(body: &Pieces) -> Vec<u32> {
    let vertices = faces(body).flatten();
    vertices.map(|vertex| vertex as u32 - 1).collect()
}

/// The lines of checked text.
pub(super) fn lines<'a>(pieces: &'a Pieces) -> impl Iterator<Item = &'a str> {
    let text = |part: &'a [u8]| std::str::from_utf8(part).unwrap_or_default();
    pieces.parts().flat_map(move |part| text(part).lines())
}

/// The vertices of each face, from 1 on, of text in which the scan has made them absolute.
pub(super) fn faces(body: &Pieces) -> impl Iterator<Item = impl Iterator<Item = usize>> {
    lines(body).filter_map(|line| {
        let corners = line.strip_prefix(['f'])?.strip_prefix([' ', '\t'])?;
        let digit = |byte: u8| byte.is_ascii_digit().then(|| usize::from(byte - b'0'));
        let number = move |word: &str| {
            let digits = word.bytes().map_while(digit);
            digits.fold(0, |number, digit| 10 * number + digit)
        };
        Some(corners.split_ascii_whitespace().map(number))
    })
}
