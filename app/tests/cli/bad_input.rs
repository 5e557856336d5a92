//! Unusable input: the program answers with one clear line and the right exit code, and leaves no
//! half-written file.

use crate::program::{Folder, allocators, has_gpu, rows};

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// The message with which `kdtree` refuses a scene of this content.
fn refusal(content: impl AsRef<[u8]>) -> String {
    let folder = Folder::new();
    folder.put("scene.obj", content);
    let outcome = folder.run("kdtree @scene.obj --backend cpu --render @out.png -o @out.txt");
    let message = outcome.error(3).to_owned();
    assert!(message.contains("scene"), "{message}");
    assert_eq!(folder.names(), "scene.obj");
    message
}

#[test]
fn a_missing_file() {
    let folder = Folder::new();
    folder
        .run("kdtree @absent.obj --backend cpu")
        .fails(3, "absent.obj");
}

#[test]
fn a_directory() {
    let folder = Folder::new();
    folder
        .run("render @. -o @out.png --backend cpu")
        .fails(3, "directory");
    assert_eq!(folder.names(), "");
}

#[test]
fn empty_and_binary_files() {
    assert!(refusal("").contains("empty"));
    assert!(refusal(" \n\n").contains("empty"));
    assert!(refusal([0x7f, b'E', b'L', b'F', 0, 0, 1, 2, 0xff]).contains("not text"));
    let noise: Vec<u8> = (0..4096_u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    refusal(noise);
    refusal([0x1f, 0x8b, 8, 0, 1, 2, 3]);
}

#[cfg(unix)]
#[test]
fn an_endless_device_is_no_text() {
    let folder = Folder::new();
    for command in [
        "kdtree /dev/zero --backend cpu",
        "graph /dev/zero --backend cpu",
    ] {
        folder.run(command).fails(3, "/dev/zero is not text");
    }
}

#[test]
fn an_index_out_of_range_is_named_with_its_line() {
    let message = refusal("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n");
    assert!(message.contains("scene.obj:4"), "{message}");
    refusal("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n");
    refusal("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -4 -2 -1\n");
}

#[test]
fn coordinates_that_are_no_numbers_or_too_large() {
    for coordinate in ["nan", "1e30", "-1e30", "inf", "1e400", "x"] {
        let message = refusal(format!("v 0 0 0\nv {coordinate} 0 0\nv 0 1 0\nf 1 2 3\n"));
        assert!(message.contains("scene.obj:2"), "{message}");
    }
}

#[test]
fn no_triangles_or_none_with_an_area() {
    refusal("v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    assert!(refusal("v 0 0 0\nv 1 1 1\nv 2 2 2\nf 1 2 3\nf 1 1 2\n").contains("degenerate"));
}

#[test]
fn a_pool_that_is_too_small() {
    let folder = Folder::new();
    folder.scene("terrain");
    for allocator in allocators() {
        for pool in ["1KiB", "0", "9000"] {
            let command =
                format!("kdtree @terrain.obj --backend cpu --allocator {allocator} --pool {pool}");
            folder.run(&command).fails(4, allocator).fails(4, "--pool");
        }
    }
}

/// Where a larger pool may not help, the message says so.
#[test]
fn an_allocator_that_refuses_what_is_free() {
    let folder = Folder::new();
    folder.scene("terrain");
    for (allocator, hasty) in [("cmalloc", false), ("cmalloc:walk=paper", true)] {
        let command =
            format!("kdtree @terrain.obj --backend cpu --allocator {allocator} --pool 9000");
        let outcome = folder.run(&command);
        let message = outcome.error(4);
        assert_eq!(message.contains("memory is free"), hasty, "{message}");
    }
}

#[test]
fn a_pool_that_no_machine_has() {
    let folder = Folder::new();
    folder.put("one.obj", TRIANGLE);
    for pool in ["1000000GiB", "1e30x"] {
        folder
            .run(format!("kdtree @one.obj --backend cpu --pool {pool}"))
            .fails(4, "--pool");
    }
}

#[test]
fn an_unknown_allocator_or_parameter_says_what_there_is() {
    let folder = Folder::new();
    folder.put("one.obj", TRIANGLE);
    for command in [
        "kdtree @one.obj --allocator nomalloc",
        "compare kdtree @one.obj --allocators cmalloc,nomalloc",
        "bench mixed --allocators nomalloc",
    ] {
        let outcome = folder.run(command);
        let message = outcome.error(2);
        for allocator in allocators() {
            assert!(message.contains(allocator), "{message}");
        }
    }
    folder
        .run("kdtree @one.obj --allocator cmalloc:split=half")
        .fails(2, "split=tail|uniform|heap");
    folder
        .run("kdtree @one.obj --allocator cmalloc:coalesce")
        .error(2);
}

/// Values that no pool could have, and values that packing would cut off.
#[test]
fn a_parameter_out_of_range_says_what_is_in_range() {
    let folder = Folder::new();
    for parameter in [
        "region=68719476736",
        "region=18446744073709551615",
        "region=0",
        "region=-4096",
        "region=4097",
        "chunk=0",
        "chunk=18446744073709551615",
        "frag=inf",
        "frag=NaN",
        "coalesce=no",
    ] {
        let command = "bench threads --threads 1 --bytes 16 --backend cpu --in-process";
        let allocator = format!("--allocators cfmalloc:{parameter}");
        folder
            .run(format!("{command} {allocator}"))
            .fails(2, "region=BYTES");
    }
}

#[test]
fn flags_that_make_no_sense() {
    let folder = Folder::new();
    folder.put("one.obj", TRIANGLE);
    for command in [
        "kdtree",
        "kdtree @one.obj --pool lots",
        "kdtree @one.obj --pool -1",
        "kdtree @one.obj --runs 0",
        "kdtree @one.obj --backend tpu",
        "kdtree @one.obj --max-depth 1000 --backend cpu",
        "kdtree @one.obj --intersection-cost nan",
        "kdtree @one.obj --cpu-threads 0",
        "kdtree @one.obj --nonsense",
        "render @one.obj",
        "render @one.obj -o @out.png --size 0x10",
        "render @one.obj -o @out.png --size 10",
        "render @one.obj -o @out.png --fov 180",
        "render @one.obj -o @out.png --eye 1,2",
        "render @one.obj -o @out.png --eye nan,0,0",
        "render @one.obj -o @out.png --eye 1,1,1 --look-at 1,1,1",
        "render @one.obj -o @out.png --up 0,0,0",
        "bench threads --threads 0",
        "bench threads --bytes 0",
        "bench alloc-cycle-dealloc --kept 1000",
        "bench alloc-dealloc --blocks 4000000000",
        "bench nothing",
        "generate scene nothing -o @out.obj",
        "generate scene knot -o @out.obj --copies 30000",
        "generate scene knot",
        "completions klingon",
        "case nothing",
    ] {
        let outcome = folder.run(command);
        let message = outcome.error(2);
        assert!(!message.is_empty(), "{command}");
    }
    assert_eq!(folder.names(), "one.obj");
}

#[test]
fn an_unwritable_output_is_found_before_the_work() {
    let folder = Folder::new();
    // A scene that cannot be read: the output is looked at first.
    for command in [
        "kdtree @absent.obj --render @none/out.png",
        "kdtree @absent.obj -o @none/out.json",
        "render @absent.obj -o @none/out.png",
        "render @absent.obj -o @.",
        "compare kdtree @absent.obj -o @none/out.csv",
        "bench scaling -o @none/out.json",
        "generate scene knot -o @none/knot.obj",
    ] {
        folder.run(command).fails(3, "cannot write");
    }
    assert_eq!(folder.names(), "");
}

#[test]
fn an_output_is_named_as_what_is_written() {
    let folder = Folder::new();
    // A scene that cannot be read: the name of the output is looked at first.
    for (command, written) in [
        ("render @absent.obj -o @out.bmp", ".png"),
        ("render @absent.obj -o @out.png.gz", ".png"),
        ("kdtree @absent.obj --render @out.jpg", ".png"),
        ("kdtree @absent.obj -o @out.bmp", ".csv or .md"),
        ("kdtree @absent.obj -o @out.json --format text", ".txt"),
        ("graph @absent.el -o @out.bmp", ".csv or .md"),
        ("graph @absent.el --save @out.bmp", ".graph"),
        ("compare kdtree @absent.obj -o @out.png", ".csv or .md"),
        ("compare graph @absent.el -o @out.xml", ".csv or .md"),
        ("bench scaling -o @out.bmp", ".csv or .md"),
        ("bench scaling -o @out.csv --format json", ".json"),
        ("generate scene knot -o @out.ply", ".obj or .obj.gz"),
        ("generate graph road -o @out.bmp", ".graph"),
    ] {
        folder.run(command).fails(2, written).fails(2, "out.");
    }
    assert_eq!(folder.names(), "");
}

#[test]
fn a_scene_or_a_result_is_not_given_up_for_another() {
    let folder = Folder::new();
    folder.put("one.obj", TRIANGLE);
    for command in [
        "render @one.obj -o @one.obj --backend cpu",
        "kdtree @one.obj -o @./one.obj --backend cpu",
        "kdtree @one.obj -o @new --render @./new --backend cpu",
        "compare kdtree @one.obj -o @one.obj --backend cpu",
    ] {
        folder.run(command).fails(2, "named twice");
    }
    assert_eq!(folder.names(), "one.obj");
    let scene = std::fs::read(folder.path("one.obj")).unwrap();
    assert_eq!(scene, TRIANGLE.as_bytes());
}

#[test]
fn files_that_are_linked_are_not_given_up() {
    let folder = Folder::new();
    folder.put("one.json", "functions");
    for command in [
        "bench threads --threads 32 --bytes 16 --allocators external",
        "bench fragmentation --allocators external",
        "compare kdtree gen:soup,triangles=9 --allocators external",
        "compare kdtree --frames gen:soup,triangles=9 --allocators external",
        "compare graph gen:uniform,vertices=9,edges=9 --allocators external",
        "graph gen:uniform,vertices=9,edges=9 --allocator external",
        "kdtree gen:soup,triangles=9 --allocator external",
        "kdtree --frames gen:soup,triangles=9 --allocator external",
    ] {
        let command = format!("{command} --link @one.json -o @one.json --backend cpu");
        folder.run(&command).fails(2, "one.json is named twice");
    }
    assert_eq!(folder.names(), "one.json");
    assert_eq!(
        std::fs::read(folder.path("one.json")).unwrap(),
        b"functions"
    );
}

/// A scene reads more than the file that is named: outputs replace none of it.
#[test]
fn files_that_a_scene_names_are_not_given_up() {
    let folder = Folder::new();
    let texture = include_bytes!("../../../scenes/data/parlour-wood.png");
    let buffer: Vec<u8> = [[0.0_f32; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
        .as_flattened()
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let gltf = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
            "min": [0, 0, 0], "max": [1, 1, 0]}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"uri": "three.json", "byteLength": 36}]}"#;
    let obj = "mtllib wood.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl a\nf 1/1 2/1 3/1\n";
    let files: [(&str, &[u8]); 5] = [
        ("one.obj", obj.as_bytes()),
        ("three.gltf", gltf.as_bytes()),
        ("three.json", &buffer),
        ("wood.mtl", b"newmtl a\nmap_Kd wood.png\n"),
        ("wood.png", texture),
    ];
    for (name, content) in files {
        std::fs::write(folder.path(name), content).unwrap();
    }
    for [command, file] in rows(
        "render @one.obj -o @wood.png --backend cpu | wood.png
         kdtree @one.obj --save @wood.mtl --backend cpu | wood.mtl
         kdtree @three.gltf --save @three.json --backend cpu | three.json
         kdtree --frames @three.gltf -o @three.json --format json --backend cpu | three.json
         compare kdtree @three.gltf -o @three.json --backend cpu | three.json
         generate scene @one.obj --copies 2 -o @one.obj | one.obj
         generate scene @one.obj --copies 2 -o @wood.obj | wood.mtl",
    ) {
        folder
            .run(command)
            .fails(2, &format!("{file} is named twice"));
    }
    assert_eq!(folder.names(), files.map(|(name, _)| name).join(" "));
    for (name, content) in files {
        assert_eq!(std::fs::read(folder.path(name)).unwrap(), content, "{name}");
    }
    // Everything else is written.
    folder
        .run("kdtree @three.gltf --save @tree --backend cpu")
        .succeeds();
}

#[test]
fn cuda_without_a_gpu() {
    let folder = Folder::new();
    if has_gpu(&folder) {
        return println!("skipped: there is a GPU");
    }
    folder.put("one.obj", TRIANGLE);
    for command in [
        "kdtree @one.obj --backend cuda",
        "render @one.obj -o @out.png --backend cuda",
        "compare kdtree @one.obj --backend cuda",
        "bench mixed --backend cuda",
    ] {
        folder.run(command).fails(4, "--backend cpu");
    }
    assert_eq!(folder.names(), "one.obj");
}

#[test]
fn a_gpu_that_is_not_there() {
    let folder = Folder::new();
    if !has_gpu(&folder) {
        return println!("skipped: there is no GPU");
    }
    folder.put("one.obj", TRIANGLE);
    folder
        .run("kdtree @one.obj --device 4096")
        .fails(4, "no GPU 4096");
}

#[test]
fn a_failed_run_leaves_what_was_there() {
    let folder = Folder::new();
    folder.put("empty.obj", "");
    folder.put("out.png", "old");
    folder
        .run("render @empty.obj -o @out.png --backend cpu")
        .error(3);
    assert_eq!(std::fs::read(folder.path("out.png")).unwrap(), b"old");
    assert_eq!(folder.names(), "empty.obj out.png");
}
