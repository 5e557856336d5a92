//! Commands that succeed: their results, their files, their keys.

use crate::program::{
    Folder, allocators, assert_keys, has_gpu, number, png_size, published, rows, text,
};

/// The keys of `kdtree --format json` that scripts rely on.
const TREE_KEYS: &str = "\
    allocation_mean_bytes allocation_std_bytes allocations allocator backend build_ms builder \
    comparable_sah_cost cut_leaves device external_fragmentation frees internal_fragmentation \
    leaves max_depth meta nodes limited_leaves parameters pool_bytes pool_high_water_bytes \
    references references_bounded references_per_triangle root_bytes sah_cost scene tree_hash \
    triangles init_ms device_bytes workspace_bytes workspace_used_bytes workspace_tried_bytes";

#[test]
fn a_tree_is_reported_with_stable_keys() {
    let folder = Folder::new();
    folder.scene("terrain");
    let report = folder.json(
        "kdtree @terrain.obj --backend cpu --builder kernels --runs 3 --verify --format json",
    );
    assert_keys(&report, TREE_KEYS);
    assert_eq!(text(&report, "builder"), "kernels");
    assert_eq!(text(&report, "scene"), "terrain");
    assert_eq!(report["triangles"], 2048);
    assert_eq!(report["root_bytes"], 4 * 2048);
    assert_eq!(report["build_ms"]["samples"].as_array().unwrap().len(), 3);
    assert!(number(&report["build_ms"]["median"]) > 0.0);
    assert!(number(&report["references_per_triangle"]) >= 1.0);
    assert!(number(&report["sah_cost"]) > 1.0);
    assert_eq!(report["allocations"], report["frees"]);
    assert!((0.0..1.0).contains(&number(&report["external_fragmentation"])));
    let leaves = number(&report["leaves"]);
    assert_eq!(number(&report["nodes"]), 2.0 * leaves - 1.0);
    assert!(number(&report["pool_high_water_bytes"]) >= 4.0 * 2048.0);
    // Nodes while the tree grows and when it is finished, and references likewise.
    let tables = 40.0 * number(&report["nodes"]) + 8.0 * number(&report["references"]);
    let used = number(&report["workspace_used_bytes"]);
    let held = number(&report["workspace_bytes"]);
    assert!(used > tables && (used..2.0 * used).contains(&held));
    assert!(number(&report["workspace_tried_bytes"]) > held);
    assert!(number(&report["device_bytes"]) >= held + 36.0 * 2048.0);
    assert_eq!(text(&report, "tree_hash").len(), 16);
    assert_eq!(text(&report["meta"], "input_hash").len(), 16);
}

#[test]
fn results_of_single_runs_are_tables_too() {
    let folder = Folder::new();
    folder.scene("knot");
    folder.put("kite.graph", "5 5\n2 3\n1 3\n1 2 4\n3 5\n4\n");
    for [command, titles] in rows(
        "kdtree @knot.obj --runs 1 --backend cpu | scene,triangles,
         kdtree --frames @knot.obj @knot.obj --allocator cmalloc --runs 1 --backend cpu | backend,device,allocator,
         graph @kite.graph --runs 1 --backend cpu | graph,vertices,
         render @knot.obj -o @knot.png --size 8x8 --backend cpu | scene,triangles,
         diff @knot.png @knot.png | reference,test,",
    ) {
        let csv = folder.run(format!("{command} --format csv")).succeeds_quietly();
        assert!(csv.stdout.starts_with(titles), "{csv:?}");
        assert!(csv.stdout.lines().count() > 1, "{csv:?}");
        let markdown = folder.run(format!("{command} --format markdown"));
        assert!(markdown.stdout.starts_with("| "), "{markdown:?}");
    }
    folder.run("graph @kite.graph --runs 1 --backend cpu -o @kite.csv");
    let file = std::fs::read_to_string(folder.path("kite.csv")).unwrap();
    assert!(file.starts_with("graph,vertices,"), "{file}");
}

#[test]
fn every_allocator_builds_the_same_tree() {
    let folder = Folder::new();
    // Small, but with nodes of all sizes: many warps share the root.
    folder.scene("terrain");
    let command = "compare kdtree @terrain.obj --backend cpu --runs 1 --format json";
    for extra in [
        "",
        "--check-heap",
        "--alloc-per-split --pool 400x",
        "--no-clip",
    ] {
        let rows = folder.json(format!("{command} {extra}"));
        let rows = rows.as_array().unwrap();
        assert_eq!(rows.len(), allocators().len());
        for (row, allocator) in rows.iter().zip(allocators()) {
            assert_eq!(text(row, "allocator"), allocator);
            assert_eq!(text(row, "status"), "ok", "{row}");
            assert!(number(&row["ratio"]) > 0.0);
            assert_keys(&row["result"], TREE_KEYS);
            assert_eq!(row["result"]["tree_hash"], rows[0]["result"]["tree_hash"]);
        }
    }
}

#[test]
fn published_forms_are_compared_under_their_full_names() {
    let folder = Folder::new();
    folder.scene("terrain");
    let lists = "--allocators cfmmalloc,published,cmmalloc:frag=2,walk=paper,split=heap";
    let names = [&["cfmmalloc"][..], &published(), &["cmmalloc:walk=paper"]].concat();
    let shown = |index: usize| {
        if index + 1 == names.len() {
            "cmmalloc:walk=paper,frag=2,split=heap"
        } else {
            names[index]
        }
    };
    folder.put("kite.graph", "5 5\n2 3\n1 3\n1 2 4\n3 5\n4\n");
    for (command, hash) in [
        ("compare kdtree @terrain.obj --pool 16MiB", "tree_hash"),
        (
            "compare graph @kite.graph --triangles --verify",
            "graph_hash",
        ),
    ] {
        // With one thread, since published walks pass chunks that others hold: on a busy machine
        // they refuse a request now and then, though there is memory.
        let options = "--backend cpu --cpu-threads 1 --runs 1 --format json";
        let rows = folder.json(format!("{command} {options} {lists}"));
        let rows = rows.as_array().unwrap();
        assert_eq!(rows.len(), names.len());
        for (index, row) in rows.iter().enumerate() {
            assert_eq!(text(row, "status"), "ok", "{row}");
            assert_eq!(text(row, "allocator"), shown(index));
            let result = &row["result"];
            assert_eq!(text(result, "allocator"), names[index]);
            assert_eq!(result[hash], rows[0]["result"][hash]);
            if names[index].contains("walk") {
                assert_eq!(text(&result["parameters"], "walk"), "paper");
            }
        }
        assert_eq!(text(&rows[0]["result"]["parameters"], "walk"), "regions");
    }
    let bench = "bench threads --threads 300 --bytes 64 --runs 1 --warmup 1 --backend cpu \
                 --pool 64MiB --in-process --heap warm --format json";
    let rows = folder.json(format!("{bench} {lists}"));
    for (row, name) in rows.as_array().unwrap().iter().zip(names) {
        assert_eq!(text(row, "status"), "ok", "{row}");
        assert_eq!(text(row, "allocator"), name);
    }
    folder
        .run("kdtree @terrain.obj --backend cpu --check-heap --allocator cmalloc:walk=paper")
        .fails(2, "cmalloc:walk=paper has no checked mode");
}

#[test]
fn the_gpu_builds_the_trees_of_the_cpu() {
    let folder = Folder::new();
    if !has_gpu(&folder) {
        return println!("skipped: there is no GPU");
    }
    for scene in ["knot", "courtyard", "terrain"] {
        folder.scene(scene);
        let hash = |backend: &str, allocator: &str| {
            let command = format!(
                "kdtree @{scene}.obj --backend {backend} --allocator {allocator} --runs 2 --format json"
            );
            let report = folder.json(&command);
            assert_eq!(text(&report, "backend"), backend);
            text(&report, "tree_hash").to_owned()
        };
        let expected = hash("cpu", "cfmmalloc");
        for allocator in allocators() {
            assert_eq!(hash("cuda", allocator), expected, "{scene} {allocator}");
        }
    }
}

#[test]
fn unusual_scenes_build() {
    let folder = Folder::new();
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    folder.put("one.obj", format!("{corners}f 1 2 3\n"));
    let faces = "f 1 2 3\n".repeat(300);
    folder.put("identical.obj", format!("{corners}{faces}"));
    let triangle = |i: u32| {
        let (x, y, right, up) = (i % 20, i / 20, i % 20 + 1, i / 20 + 1);
        format!("v {x} {y} 5\nv {right} {y} 5\nv {x} {up} 5\nf -3 -2 -1\n")
    };
    folder.put("coplanar.obj", (0..400).map(triangle).collect::<String>());
    for (scene, triangles, extra) in [
        ("one", 1, ""),
        ("identical", 1, ""),
        ("identical", 300, "--keep-duplicates"),
        ("coplanar", 400, ""),
    ] {
        for allocator in allocators() {
            let command = format!(
                "kdtree @{scene}.obj {extra} --allocator {allocator} --backend cpu --runs 1 \
                 --verify --render @{scene}.png --size 32x16 --format json"
            );
            let report = folder.json(&command);
            assert_eq!(report["triangles"], triangles, "{scene}");
            assert_eq!(png_size(&folder.path(&format!("{scene}.png"))), (32, 16));
        }
    }
}

#[test]
fn duplicates_are_reported_once() {
    let folder = Folder::new();
    folder.put("two.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 2 3 1\n");
    for command in ["kdtree @two.obj", "compare kdtree @two.obj"] {
        let outcome = folder
            .run(format!("{command} --backend cpu --runs 1"))
            .succeeds();
        assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:?}");
        assert!(outcome.stderr.contains("1 duplicate"), "{outcome:?}");
    }
}

#[test]
fn pictures_have_the_size_asked_for_and_are_the_same_every_time() {
    let folder = Folder::new();
    folder.scene("courtyard");
    let render = |name: &str, extra: &str| {
        let command =
            format!("render @courtyard.obj -o @{name} --backend cpu {extra} --format json");
        let report = folder.json(&command);
        assert!(number(&report["rays_per_second"]) > 0.0);
        std::fs::read(folder.path(name)).unwrap()
    };
    let first = render("a.png", "--size 120x80");
    assert_eq!(png_size(&folder.path("a.png")), (120, 80));
    // Of the tree of the other builder.
    let others = "--size 120x80 --allocator cmalloc --cpu-threads 3";
    assert_eq!(render("b.png", others), first);
    assert_ne!(render("c.png", "--size 120x80 --shade normal"), first);
    let camera = "--size 120x80 --eye -3,2,5 --look-at 0,1,0 --up 0,1,0.1 --fov 60";
    assert_ne!(render("d.png", camera), first);
    assert_eq!(
        folder.names(),
        "a.png b.png c.png courtyard.mtl courtyard.obj d.png"
    );
}

#[test]
fn scenes_are_generated_and_enlarged() {
    let folder = Folder::new();
    let triangles = |arguments: &str| {
        let outcome = folder.run(format!("generate scene {arguments}")).succeeds();
        let words: Vec<&str> = outcome.stdout.split_whitespace().collect();
        words[words.len() - 2].parse::<u64>().unwrap()
    };
    let knot = triangles("knot -o @knot.obj");
    assert_eq!(triangles("@knot.obj -o @fine.obj.gz --levels 1"), 4 * knot);
    assert_eq!(triangles("@fine.obj.gz -o @grid.obj --copies 2"), 16 * knot);
    assert!(triangles("terrain -o @t.obj --triangles 5000 --displace 0.2 --seed 3") >= 5000);
    let hash = |scene: &str| {
        let command = format!("kdtree @{scene} --backend cpu --runs 1 --format json");
        folder.json(&command)["meta"]["input_hash"].clone()
    };
    assert_ne!(hash("knot.obj"), hash("fine.obj.gz"));
}

#[test]
fn allocators_and_devices_are_listed() {
    let folder = Folder::new();
    let entries = folder.json("allocators --backend cpu --format json");
    let names: Vec<&str> = entries
        .as_array()
        .unwrap()
        .iter()
        .map(|e| text(e, "name"))
        .collect();
    let (forms, own): (Vec<&str>, Vec<&str>) =
        names.into_iter().partition(|name| name.contains(':'));
    assert_eq!(own, [allocators(), vec!["external"]].concat());
    assert_eq!(forms, published());
    assert!(entries[0]["plain"].is_null());
    for name in allocators() {
        let outcome = folder
            .run(format!("allocators {name} --backend cpu"))
            .succeeds();
        assert!(outcome.stdout.starts_with(&format!("{name}\n")), "{name}");
        assert!(outcome.stdout.contains("\nAlgorithm\n"), "{name}");
        let command = format!("allocators {name} --backend cpu --format json");
        let entries = folder.json(&command);
        assert_eq!(entries.as_array().unwrap().len(), 1, "{name}");
        assert_eq!(text(&entries[0], "name"), name);
    }
    folder
        .run("allocators nomalloc --backend cpu")
        .fails(2, "cfmmalloc");
    let devices = folder.json("devices --format json");
    assert_eq!(text(&devices[0], "backend"), "cpu");
    assert!(devices[0]["copy_gb_per_s"].is_null());
    let measured = folder.json("devices --bandwidth --format json");
    assert!(measured[0]["copy_gb_per_s"].as_f64().unwrap() > 0.0);
    for format in ["table", "csv", "markdown"] {
        for command in ["allocators --backend cpu", "devices"] {
            let outcome = folder
                .run(format!("{command} --format {format}"))
                .succeeds();
            assert!(outcome.stdout.contains('\n'));
        }
    }
}

#[test]
fn help_version_and_completions() {
    let folder = Folder::new();
    for command in ["--help", "--version", "help kdtree", "bench threads --help"] {
        let outcome = folder.run(command).succeeds_quietly();
        assert!(
            !outcome.stdout.contains("\n  case "),
            "the hidden command shows"
        );
    }
    // This help answers a command that is not complete.
    for command in ["", "compare", "bench", "generate"] {
        let outcome = folder.run(command);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (2, ""),
            "{command}"
        );
        assert!(outcome.stderr.contains("\nUsage: "), "{outcome:?}");
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let outcome = folder.run(format!("completions {shell}"));
        assert!(outcome.stdout.contains("kdtree"), "{shell}");
    }
}

#[test]
fn a_report_is_written_as_its_file_is_named() {
    let folder = Folder::new();
    folder.scene("terrain");
    let command = "kdtree @terrain.obj --backend cpu --runs 1 -o @out.json";
    folder.run(command).succeeds();
    let written = std::fs::read(folder.path("out.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&written).unwrap();
    assert_keys(&report, TREE_KEYS);
    assert_eq!(report["references_bounded"], false);
    assert_eq!(report["limited_leaves"], 0);
}

#[test]
fn a_report_says_what_the_limit_of_depth_cut_off() {
    let folder = Folder::new();
    folder.scene("terrain");
    let command = "kdtree @terrain.obj --backend cpu --runs 1 --max-depth 3";
    let said = folder.run(command).stdout;
    assert!(said.contains("the limit of depth cut off 8\n"), "{said}");
    // The comparable cost does not depend on the unit of the build's costs.
    let costs = "--traversal-cost 2 --intersection-cost 10 --format json";
    let report = folder.json(format!("{command} {costs}"));
    assert_eq!(report["cut_leaves"], 8);
    let (own, comparable) = (&report["sah_cost"], &report["comparable_sah_cost"]);
    assert!((number(own) / number(comparable) - 2.0).abs() < 1e-9);
}

#[test]
fn a_quality_stands_for_costs_that_flags_override() {
    let folder = Folder::new();
    folder.scene("knot");
    let report = |flags: &str| {
        let command = "kdtree @knot.obj --backend cpu --runs 1 --format json";
        folder.json(format!("{command} {flags}"))
    };
    let costs = ["fast", "balanced", "best"].map(|quality| {
        let report = report(&format!("--quality {quality}"));
        assert_eq!(report["cut_leaves"], 0, "{quality}");
        number(&report["comparable_sah_cost"])
    });
    assert!(costs[0] > costs[1] && costs[1] > costs[2], "{costs:?}");
    let usual = report("");
    assert_eq!(number(&usual["comparable_sah_cost"]), costs[1]);
    let own = report("--quality fast --intersection-cost 2");
    assert_eq!(own["tree_hash"], usual["tree_hash"]);
    assert_eq!(own["options"], usual["options"]);
    folder.run("kdtree @knot.obj --quality good").error(2);
}

#[test]
fn a_report_says_when_duplication_was_bounded() {
    // Corners on a spiral in one plane: the triangles of the fan overlap.
    let mut text = String::new();
    for corner in 0..120 {
        let angle = f64::from(corner) * 2.4;
        let radius = 0.1 + f64::from(corner * 37 % 120) / 120.0;
        let (x, y) = (radius * angle.cos(), radius * angle.sin());
        text += &format!("v {x} {y} 0.25\n");
    }
    for corner in 3..=120 {
        text += &format!("f 1 {} {corner}\n", corner - 1);
    }
    let folder = Folder::new();
    folder.put("fan.obj", &text);
    let command = "kdtree @fan.obj --backend cpu --runs 1 --verify";
    let said = folder.run(command).stdout;
    assert!(said.contains("bounded: "), "{said}");
    for allocator in ["cfmmalloc", "awmalloc"] {
        let report = folder.json(format!("{command} --format json --allocator {allocator}"));
        assert_eq!(report["references_bounded"], true, "{allocator}");
        assert!(number(&report["limited_leaves"]) > 0.0);
        assert!(number(&report["references"]) <= 64.0 * 118.0 + 1024.0);
    }
}
