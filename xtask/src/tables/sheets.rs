//! The files of measurements, and the columns of the CSV beside each.

/// A file of measurements as a table.
pub struct Sheet {
    /// The file in `docs/results/runs`, without its ending.
    pub file: &'static str,
    /// Whether the CSV is compressed, since it would have more than 200 KB.
    pub compressed: bool,
    /// The member of the file that is the list of rows; none if the file is that list.
    pub root: Option<&'static str>,
    /// The list in a row of which each element has a line; a row without it has one line.
    pub each: Option<&'static str>,
    /// Paths as JSON pointers into a row or, behind a point, into an element. A path that ends
    /// with `*` is one of samples.
    pub columns: &'static [&'static str],
}

impl Sheet {
    /// The path of the CSV in `docs/results/runs`.
    pub fn csv(&self) -> String {
        let ending = if self.compressed { "csv.gz" } else { "csv" };
        format!("{}.{ending}", self.file)
    }
}

/// A file whose rows are lines.
const fn sheet(file: &'static str, columns: &'static [&'static str]) -> Sheet {
    Sheet {
        file,
        compressed: false,
        root: None,
        each: None,
        columns,
    }
}

/// A file of graphs: a line for each batch, or for each case without batches.
const fn graphs(file: &'static str) -> Sheet {
    Sheet {
        file,
        compressed: false,
        root: None,
        each: Some("/result/updates"),
        columns: GRAPH,
    }
}

const MICRO: &[&str] = &[
    "/workload",
    "/heap",
    "/allocator",
    "/threads",
    "/turns",
    "/bytes",
    "/pool_bytes",
    "/status",
    "/alloc_ms*",
    "/free_ms*",
    "/kernel_ms*",
    "/meta/commit",
    "/meta/link/merged",
];
const TREE: &[&str] = &[
    "/scene",
    "/triangles",
    "/allocator",
    "/options/alloc_per_split",
    "/pool_bytes",
    "/build_ms*",
    "/nodes",
    "/leaves",
    "/max_depth",
    "/references",
    "/sah_cost",
    "/allocations",
    "/tree_hash",
    "/meta/commit",
    "/meta/link/merged",
];
/// Kept narrow: there is a line for each batch.
const GRAPH: &[&str] = &[
    "/graph",
    "/allocator",
    "/layout",
    "/status",
    "./kind",
    "./pattern",
    "./round",
    "./edges",
    "./ms/total*",
    "./ms/sort/median",
    "./ms/apply/median",
    "/result/init_ms/median",
    "/result/pagerank/ms/median",
    "/result/triangles/ms/median",
    "/result/meta/commit",
];

/// All files of measurements.
pub const SHEETS: &[Sheet] = &[
    sheet(
        "2026-11-22-h200/devices",
        &[
            "/backend",
            "/name",
            "/processors",
            "/memory_bytes",
            "/compute_capability",
            "/driver",
            "/copy_gb_per_s",
        ],
    ),
    sheet("2026-11-23-h200/forms", MICRO),
    sheet(
        "2026-11-24-epyc/graph-crate",
        &[
            "/graph",
            "/vertices",
            "/entries",
            "/algorithm",
            "/iterations",
            "/triangles",
            "/ours_ms*",
            "/theirs_ms*",
            "/relabel_ms*",
            "/relabelled_ms*",
            "/threads",
            "/meta/commit",
        ],
    ),
    sheet(
        "2026-11-24-h200/host-pool",
        &[
            "/source",
            "/pattern",
            "/bytes",
            "/threads",
            "/status",
            "/pairs",
            "/allocate/p50_ns",
            "/allocate/p99_ns",
            "/allocate/p999_ns",
            "/allocate/max_ns",
            "/deallocate/p50_ns",
            "/deallocate/p99_ns",
            "/deallocate/p999_ns",
            "/deallocate/max_ns",
            "/pairs_per_s",
            "/hits",
            "/misses",
            "/meta/commit",
        ],
    ),
    sheet(
        "2026-11-25-epyc/kdtree-ray",
        &[
            "/scene",
            "/triangles",
            "/nodes",
            "/ours_ms*",
            "/theirs_ms*",
            "/triangles_a_ray",
            "/threads",
            "/meta/commit",
        ],
    ),
    sheet("2026-11-25-h200/bench", MICRO),
    Sheet {
        root: Some("cells"),
        ..sheet(
            "2026-11-25-h200/published",
            &[
                "/workload",
                "/heap",
                "/allocator",
                "/kernel",
                "/threads",
                "/bytes",
                "/status",
                "/ms",
                "/build",
            ],
        )
    },
    sheet(
        "2026-11-25-h200/soak",
        &[
            "/graph",
            "/allocator",
            "/layout",
            "/status",
            "/result/init_ms/median",
            "/result/memory/loaded_bytes",
            "/result/memory/high_water_bytes",
            "/result/memory/internal_fragmentation",
            "/result/memory/external_fragmentation",
            "/result/graph_hash",
            "/result/meta/commit",
        ],
    ),
    sheet("2026-11-25-h200/turns", MICRO),
    sheet(
        "2026-11-26-epyc/embree",
        &[
            "/scene",
            "/triangles",
            "/rays",
            "/hits",
            "/differing",
            "/is_robust",
            "/ours_ms*",
            "/theirs_ms*",
            "/threads",
            "/meta/commit",
        ],
    ),
    sheet("2026-11-26-h200/external-bench", MICRO),
    graphs("2026-11-26-h200/external-graph"),
    sheet("2026-11-26-h200/external-kdtree", TREE),
    Sheet {
        compressed: true,
        ..graphs("2026-11-26-h200/graph")
    },
    sheet("2026-11-26-h200/kdtree", TREE),
    sheet(
        "2026-11-26-h200/registers",
        &[
            "/name",
            "/frees",
            "/handle_bytes",
            "/plain/registers",
            "/plain/local_bytes",
            "/coalesced/registers",
            "/coalesced/local_bytes",
        ],
    ),
    sheet("2026-11-26-h200/slowdowns", TREE),
];
