use super::*;
use std::collections::BTreeMap;

fn text_of(pieces: &Pieces) -> String {
    let parts: Vec<&[u8]> = pieces.parts().collect();
    String::from_utf8(parts.concat()).unwrap()
}

fn scan_text(text: &str) -> Result<Scan<'_>, SceneError> {
    scan("t", &chunks(text))
}

fn problem(text: &str) -> (usize, LineProblem) {
    match scan_text(text).map(|_| ()) {
        Err(SceneError::Line { line, problem, .. }) => (line, problem),
        other => panic!("expected a line error, got {other:?}"),
    }
}

#[test]
fn vertices_of_every_form_are_cut_to_what_counts() {
    let scan = scan_text("v 1 2 3\nv 1 2 3 2\nv  1 2 3  .5 .5 .5 # c\n").unwrap();
    assert_eq!(scan.colours, [(2, 3, [0.5; 3])]);
    assert_eq!(text_of(&scan.vertices), "v 1 2 3\nv 1 2 3 2\nv 1 2 3\n");
}

#[test]
fn bad_vertices_are_named() {
    use LineProblem::*;
    let text = |s: &str| s.to_owned();
    assert_eq!(problem("\nv 1 x 3"), (2, NotANumber(text("x"))));
    assert_eq!(problem("v 1 nan 3"), (1, Coordinate(text("nan"))));
    assert_eq!(problem("v 1 1e30 3"), (1, Coordinate(text("1e30"))));
    assert_eq!(problem("v 1 -1e999 3"), (1, Coordinate(text("-1e999"))));
    assert_eq!(problem("v 1 2"), (1, VertexSize(2)));
    assert_eq!(problem("v 1 2 3 4 5"), (1, VertexSize(5)));
    assert_eq!(problem("v 1 2 3 0"), (1, Weight(text("0"))));
    assert_eq!(problem("v 1 2 0 inf"), (1, Weight(text("inf"))));
}

#[test]
fn vertices_that_are_not_finite_may_be_there_unless_a_face_uses_them() {
    let text = "v 0 0 0\nv 1 0 0\nv nan nan nan\nv 0 1 0\nv 1e30 0 0\nf 1 2 4\n";
    for bytes in 1..text.len() {
        let scan = scan("t", &chunks_of(text, bytes)).unwrap();
        let told: Vec<String> = scan.warnings.iter().map(Warning::to_string).collect();
        let expected = "t:3: coordinates that are not finite or beyond 1e18, of 2 vertices; \
                        triangles with them are left out";
        assert_eq!(told, [expected], "{bytes}");
        for face in ["f 1 2 5", "f -4 1/1 5//1", "f 1 2 \\\n 5"] {
            let text = format!("{text}{face}\n");
            let error = super::scan("t", &chunks_of(&text, bytes))
                .map(|_| ())
                .unwrap_err();
            let problem = LineProblem::Coordinate("1e30".to_owned());
            assert!(matches!(error, SceneError::Line { line: 5, problem: p, .. } if p == problem));
        }
    }
}

#[test]
fn indices_become_absolute_and_forward_ones_are_allowed() {
    let text = "v 0 0 0\nv 1 0 0\nf -2 2//7 3/1/1\nv 0 1 0\nf -1 -2 -3 1\n";
    let scan = scan_text(text).unwrap();
    assert_eq!(text_of(&scan.body), "f 1 2 3\nf 3 2 1 1\n");
    assert_eq!(scan.faces, 2);
}

#[test]
fn bad_faces_are_named() {
    use LineProblem::*;
    let range = |index, count| IndexRange { index, count };
    assert_eq!(problem("v 0 0 0\nf 1 1 2"), (2, range(2, 1)));
    assert_eq!(problem("v 0 0 0\nf 1 1 -2"), (2, range(-2, 1)));
    assert_eq!(
        problem("v 0 0 0\nf 1 1 -9223372036854775808"),
        (2, range(i64::MIN, 1))
    );
    assert_eq!(problem("v 0 0 0\nf 1 0 1"), (2, IndexZero));
    assert_eq!(problem("v 0 0 0\nf 1 1"), (2, FaceSize(2)));
    assert_eq!(problem("f"), (1, FaceSize(0)));
    for bad in ["a", "1/2/3/4", "1/x", "/1", "1.5", "99999999999999999999"] {
        let text = format!("v 0 0 0\nf 1 1 {bad}");
        assert_eq!(problem(&text), (2, Corner(bad.to_owned())));
    }
}

#[test]
fn what_is_skipped_is_counted() {
    let scan = scan_text("foo 1\nl 1 2\nbar\np 1\n#c\n# c\ns 1\n").unwrap();
    let [
        Warning::PointsAndLines {
            count: 2,
            line: Some(2),
            ..
        },
        second,
    ] = &scan.warnings[..]
    else {
        panic!("{:?}", scan.warnings);
    };
    assert_eq!(
        second.to_string(),
        "t:1: keyword `foo` is not read; 2 such lines skipped"
    );
}

#[test]
fn an_index_that_no_file_can_have_is_a_fault_where_it_stands() {
    // One that is too large so far may have its vertex further on.
    let later = "v nonsense\n";
    let range = |index, count| LineProblem::IndexRange { index, count };
    for index in [u32::MAX as i64 + 1, i64::MAX] {
        let text = format!("v 0 0 0\nf 1 1 {index}\n{later}");
        assert_eq!(problem(&text), (2, range(index, 1)));
    }
    assert_eq!(problem(&format!("v 0 0 0\nf 1 1 4294967295\n{later}")).0, 3);
}

#[test]
fn names_may_not_be_missing() {
    for word in ["usemtl", "mtllib"] {
        let text = format!("v 0 0 0\n{word}\n{word} \n");
        let scan = scan_text(&text).unwrap();
        assert!(scan.libraries.is_empty() && text_of(&scan.body).is_empty());
        assert_eq!(scan.warnings.len(), 1);
        assert_eq!(
            scan.warnings[0].to_string(),
            format!("t:2: keyword `{word}` is not read; 2 such lines skipped")
        );
    }
}

#[test]
fn libraries_are_split_at_their_suffix() {
    let scan = scan_text("mtllib a.mtl my b.MTL\nmtllib c d\nmtllib a.mtl\n").unwrap();
    assert_eq!(
        scan.libraries,
        "mtllib a.mtl\nmtllib my b.MTL\nmtllib c d\n"
    );
    let lines = [("a.mtl", 1), ("my b.MTL", 1), ("c d", 2)];
    let lines = lines.map(|(name, line)| (name.to_owned(), line));
    assert_eq!(scan.library_lines, HashMap::from(lines));
}

/// A file of everything that chunks have to bring together.
const LONG: &str = "mtllib a.mtl\nv 0 0 0\nv 1 0 0 # c\nusemtl a\nfoo\nf -1 -2 3\nv 0 1 0\n\
    f 1 \\\n 2 \\\n\t-1\nl 1 2\nusemtl b\nmtllib a.mtl b.mtl\nvt 0 0\nf 1/1 2/1 4/1\n\
    usemtl a\nv 0 0 1\nbar\np 1\nf 1 2 3";

/// All that a scan says.
fn all(text: &str, bytes: usize) -> Result<String, String> {
    let scan = scan("t", &chunks_of(text, bytes)).map_err(|error| error.to_string())?;
    Ok(format!(
        "{}{:?}{}{}{} {:?} {:?}",
        scan.libraries,
        scan.library_lines.iter().collect::<BTreeMap<_, _>>(),
        text_of(&scan.vertices),
        text_of(&scan.body),
        scan.faces,
        scan.used_materials,
        scan.warnings
    ))
}

#[test]
fn chunks_of_any_size_are_the_same_text() {
    let whole = all(LONG, usize::MAX).unwrap();
    assert_eq!(
        whole,
        "mtllib a.mtl\nmtllib b.mtl\n{\"a.mtl\": 1, \"b.mtl\": 13}\
         v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl a\nf 2 1 3\nf 1 2 3\nusemtl b\nf 1 2 4\nusemtl a\nf 1 2 3\n4 [(\"a\", 4), (\"b\", 12)] \
         [PointsAndLines { path: \"t\", count: 2, line: Some(11) }, UnknownKeyword { path: \"t\", \
         count: 2, line: 5, keyword: \"foo\" }]"
    );
    for bytes in 1..LONG.len() {
        assert_eq!(all(LONG, bytes).as_ref(), Ok(&whole), "{bytes}");
    }
    let windows = LONG.replace('\n', "\r\n");
    for bytes in 1..LONG.len() {
        let found = all(&windows, bytes).unwrap().replace('\r', "");
        assert_eq!(found, whole, "{bytes}");
    }
    let old = LONG.replace('\n', "\r");
    assert_eq!(all(&old, 5).unwrap(), whole);
}

#[test]
fn chunks_of_any_size_have_the_same_first_fault() {
    for (from, to) in [
        ("v 0 0 1", "v 0 0 x"),
        ("4/1", "5/1"),
        ("f -1 -2 3", "f -1 -3 3"),
        ("\t-1", "\t-9"),
        ("f 1 2 3", "f 1 2 4294967296"),
        ("f 1 2 3", "f 0 x 3"),
    ] {
        let text = LONG.replace(from, to);
        let whole = all(&text, usize::MAX).unwrap_err();
        for bytes in 1..LONG.len() {
            assert_eq!(all(&text, bytes).as_ref(), Err(&whole), "{bytes}");
        }
    }
}
