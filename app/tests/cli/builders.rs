//! `heapwood kdtree --builder`: two builders, one tree, and which of them is meant.

use serde_json::Value;

use crate::program::{Folder, png_size, text};

/// Keys of a result that only a build over an allocator has.
const OF_ALLOCATORS: [&str; 15] = [
    "allocator",
    "parameters",
    "pool_bytes",
    "pool_high_water_bytes",
    "device_bytes",
    "workspace_bytes",
    "workspace_used_bytes",
    "workspace_tried_bytes",
    "init_ms",
    "allocations",
    "frees",
    "allocation_mean_bytes",
    "allocation_std_bytes",
    "internal_fragmentation",
    "external_fragmentation",
];

/// Keys of a result that say what the tree is.
const OF_TREES: [&str; 13] = [
    "tree_hash",
    "nodes",
    "leaves",
    "max_depth",
    "references",
    "references_per_triangle",
    "references_bounded",
    "limited_leaves",
    "cut_leaves",
    "sah_cost",
    "comparable_sah_cost",
    "root_bytes",
    "triangles",
];

fn built(folder: &Folder, arguments: &str) -> Value {
    let command = format!("kdtree {arguments} --backend cpu --runs 1 --format json");
    folder.json(&command)
}

#[test]
fn both_builders_report_the_same_tree() {
    let folder = Folder::new();
    // That larger scenes have the same trees, too, is shown without processes in `kdtree::cores`.
    folder.scene("cornell");
    for scene in ["@cornell.obj", "gen:terrain"] {
        for options in [
            "",
            "--verify --quality fast --cpu-threads 3",
            "--quality best --no-clip --cpu-threads 1",
            "--max-depth 6",
            "--traversal-cost 15 --intersection-cost 20 --empty-bonus 0.2",
        ] {
            let cores = built(&folder, &format!("{scene} {options} --builder cores"));
            let kernels = built(&folder, &format!("{scene} {options} --builder kernels"));
            assert_eq!(text(&cores, "builder"), "cores");
            assert_eq!(text(&kernels, "builder"), "kernels");
            for key in OF_TREES {
                assert_eq!(cores[key], kernels[key], "{scene} {options}: {key}");
            }
            // The same keys, and null for what there is not.
            let keys = |report: &Value| -> Vec<String> {
                report.as_object().unwrap().keys().cloned().collect()
            };
            assert_eq!(keys(&cores), keys(&kernels));
            for key in OF_ALLOCATORS {
                assert_eq!(cores[key], Value::Null, "{key}");
            }
            for key in OF_ALLOCATORS {
                assert_ne!(kernels[key], Value::Null, "{key}");
            }
        }
    }
}

#[test]
fn cores_build_unless_an_argument_concerns_an_allocator() {
    let folder = Folder::new();
    for (arguments, builder) in [
        ("", "cores"),
        ("--quality fast", "cores"),
        ("--cpu-threads 2", "cores"),
        ("--allocator cmalloc", "kernels"),
        ("--check-heap", "kernels"),
        ("--alloc-per-split", "kernels"),
        ("--pool 16MiB", "kernels"),
        ("--builder kernels", "kernels"),
        ("--builder kernels --allocator cmalloc", "kernels"),
    ] {
        let report = built(&folder, &format!("gen:terrain {arguments}"));
        assert_eq!(text(&report, "builder"), builder, "{arguments}");
    }
    let report = folder.run("kdtree gen:terrain --backend cpu --runs 1");
    let lines: Vec<&str> = report.stdout.lines().collect();
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("builder") && line.ends_with("cores"))
    );
    for word in ["allocator", "pool", "fragmentation"] {
        assert!(!report.stdout.contains(word), "{}", report.stdout);
    }
}

#[test]
fn cores_without_what_they_need_are_refused() {
    let folder = Folder::new();
    for (arguments, named) in [
        ("gen:knot --backend cpu --allocator cmalloc", "--allocator"),
        ("gen:knot --backend cpu --check-heap", "--check-heap"),
        (
            "gen:knot --backend cpu --alloc-per-split",
            "--alloc-per-split",
        ),
        ("gen:knot --backend cpu --pool 20x", "--pool"),
        ("--frames gen:knot gen:terrain --backend cpu", "--frames"),
    ] {
        folder
            .run(format!("kdtree {arguments} --builder cores"))
            .fails(2, named)
            .fails(2, "--builder kernels");
    }
    folder.run("kdtree gen:knot --builder warps").error(2);
    let deep = "kdtree gen:knot --backend cpu --builder cores --max-depth 97";
    assert!(folder.run(deep).error(2).contains("at most 96"));
}

#[test]
fn pictures_are_the_same_whatever_builds() {
    let folder = Folder::new();
    for builder in ["cores", "kernels"] {
        let command = format!(
            "kdtree gen:courtyard --backend cpu --runs 1 --builder {builder} --size 80x60 \
             --render @{builder}.png --format json"
        );
        let report = folder.json(&command);
        assert_eq!(report["render"]["width"], 80);
        assert_eq!(png_size(&folder.path(&format!("{builder}.png"))), (80, 60));
    }
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_eq!(read("cores.png"), read("kernels.png"));
}
