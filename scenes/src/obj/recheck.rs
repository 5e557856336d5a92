//! A second look at checked text, for what few files need: which vertices faces use, and what
//! coordinates lose as 32-bit floats.

use super::pieces::Pieces;
use super::scan::Scan;
use crate::precision::Loss;
use std::collections::HashSet;

/// The first of these vertices, numbered from 1 in the order of the file, that a face uses.
pub(super) fn first_used(vertices: &[usize], body: &Pieces) -> Option<usize> {
    let among: HashSet<usize> = vertices.iter().copied().collect();
    let used: HashSet<usize> = faces(body)
        .flatten()
        .filter(|vertex| among.contains(vertex))
        .collect();
    vertices.iter().position(|vertex| used.contains(vertex))
}

/// What the triangles of a file lose. Polygons count as fans.
pub(super) fn loss(scan: &Scan) -> Loss {
    let vertices: Vec<[f64; 3]> = lines(&scan.vertices).map(vertex).collect();
    let mut triangles = Vec::new();
    for face in faces(&scan.body) {
        let corners: Vec<u32> = face.map(|vertex| vertex as u32 - 1).collect();
        let rest = corners.windows(2).skip(1);
        triangles.extend(rest.map(|pair| [corners[0], pair[0], pair[1]]));
    }
    Loss::of(&vertices, &triangles, 0)
}

fn lines<'a>(pieces: &'a Pieces) -> impl Iterator<Item = &'a str> {
    let text = |part: &'a [u8]| std::str::from_utf8(part).unwrap_or_default();
    pieces.parts().flat_map(move |part| text(part).lines())
}

/// The vertices of each face, from 1 on, of text in which the scan has made them absolute.
fn faces(body: &Pieces) -> impl Iterator<Item = impl Iterator<Item = usize>> {
    lines(body).filter_map(|line| {
        let corners = line.strip_prefix(['f'])?.strip_prefix([' ', '\t'])?;
        let words = corners.split_whitespace();
        Some(words.filter_map(|word| word.split('/').next()?.parse().ok()))
    })
}

/// The position of a vertex.
fn vertex(line: &str) -> [f64; 3] {
    let mut words = line.split_whitespace().skip(1);
    let mut next = || words.next().and_then(|word| word.parse::<f64>().ok());
    let position = [next(), next(), next()].map(|value| value.unwrap_or(f64::NAN));
    let weight = next().unwrap_or(1.0);
    position.map(|value| value / weight)
}
