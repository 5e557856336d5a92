//! Hints in the messages of errors: flags and commands that help, which the library does not know.

use heapwood_graphs::{GraphError, LineProblem, MAX_VERTICES, Note};
use heapwood_traces::TraceError;

use crate::backend::{BackendError, RecordError};
use crate::cuda::CudaError;
use crate::graph::StoreError;
use crate::heap::HeapError;
use crate::link::LinkError;
use crate::tree::{Damage, TreeError, TreeFileError};
use crate::{Error, OptionError};

/// The way out where the file of a tree is of no use.
const ANEW: &str = "; build the tree anew by `heapwood kdtree SCENE --save FILE`";

/// The message of an error, with a hint where there is one.
pub fn explain(error: &Error) -> String {
    let hint = match error {
        Error::Frame {
            number,
            name,
            error,
        } => return format!("frame {number} ({name}): {}", explain(error)),
        Error::Update {
            part,
            error,
            before,
        } => {
            let hint = of_store(error);
            return format!("{part}: {error}{hint}; the graph is as before {before}");
        }
        Error::Backend(error) | Error::Heap(HeapError::Backend(error)) => {
            return of_backend(error);
        }
        Error::Heap(HeapError::TooSmall { .. } | HeapError::Refused { .. }) => {
            "; use a larger --pool"
        }
        Error::Heap(HeapError::TooLarge { .. }) => "; use a smaller --pool",
        Error::Heap(HeapError::Misuse {
            allocator,
            invalid_frees,
            overruns,
        }) => {
            return format!(
                "--check-heap found {invalid_frees} invalid frees and {overruns} blocks written \
                 past their end with {allocator}"
            );
        }
        Error::Round { number, error } => return format!("round {number}: {}", explain(error)),
        Error::Trial {
            kernel,
            number,
            error,
        } => return format!("{kernel}, trial {number}: {}", explain(error)),
        Error::Undecided(ranks) => {
            return format!(
                "verification: {ranks}: use --method power, which is compared iteration by iteration, \
                 or a lower --damping or --tolerance"
            );
        }
        Error::Option(OptionError::NoSource { option }) => {
            return format!(
                "--{option} SOURCE has to name the vertex from which saved distances count"
            );
        }
        // Their messages begin with the names of options, as the flags have them.
        Error::Option(error) => return format!("--{error}"),
        Error::Graph(error) => return of_graph(error),
        Error::TreeFile(TreeFileError::Damaged {
            damage: Damage::NoTree,
            path,
        }) => {
            return format!(
                "{}: not a tree that `heapwood kdtree --save` wrote{ANEW}",
                path.display()
            );
        }
        Error::Trace {
            error: TraceError::NotTrace,
            ..
        } => "; --from rmm and --from umpire of `heapwood trace convert` read logs",
        Error::Store(error) => of_store(error),
        Error::Tree(error) => of_tree(error),
        Error::TreeFile(TreeFileError::OtherScene { .. } | TreeFileError::Damaged { .. }) => ANEW,
        _ => "",
    };
    format!("{error}{hint}")
}

fn of_backend(error: &BackendError) -> String {
    let hint = match error {
        BackendError::NoDeviceCode
        | BackendError::Cuda(CudaError::NoDriver { .. } | CudaError::NoDevice)
        | BackendError::Link(LinkError::ForCpu { .. }) => ", or use --backend cpu",
        BackendError::OutOfMemory { .. } | BackendError::Cuda(CudaError::OutOfMemory { .. }) => {
            "; use a smaller --pool, scene or picture"
        }
        BackendError::Cuda(CudaError::DriverOutOfMemory { .. }) => {
            ": use a smaller --pool, or free memory on the GPU"
        }
        BackendError::Cuda(CudaError::Faulted { .. }) => ", with --check-heap to find the cause",
        BackendError::Record(RecordError::RingOverflow { .. }) => "; use a larger --record-ring",
        BackendError::Workers { .. } => ": use fewer --cpu-threads",
        BackendError::Link(LinkError::Nothing) => {
            ": give it with --link FILE (docs/external-allocators.md)"
        }
        BackendError::Link(LinkError::NoLibrary) => {
            ": give it with another --link, or leave out pool=own"
        }
        BackendError::Link(LinkError::Undefined { .. }) => {
            ": give the file that it is in with another --link"
        }
        BackendError::Link(LinkError::Unknown { path, on_gpu }) => {
            let linkable = LinkError::linkable(*on_gpu);
            return format!("{}: --link takes {linkable}", path.display());
        }
        BackendError::Link(LinkError::NotText { path, kind }) => {
            return format!(
                "{}: this is {}, and --merge takes {}, or leave out --merge",
                path.display(),
                kind.name(),
                LinkError::MERGEABLE
            );
        }
        _ => "",
    };
    format!("{error}{hint}")
}

fn of_tree(error: &TreeError) -> &'static str {
    match error {
        TreeError::Pool { .. } => "; use a larger --pool, or --pool auto",
        TreeError::Full { .. } => {
            ": use another allocator, a smaller scene, or more memory than --pool auto can find here"
        }
        TreeError::CannotFree(_) => {
            ": use an allocator that frees (see `heapwood allocators`), or build each frame by itself, \
             without --frames"
        }
        _ => "",
    }
}

fn of_store(error: &StoreError) -> &'static str {
    match error {
        StoreError::Pool { .. } => "; use a larger --pool, or --pool auto",
        StoreError::Overwriting { .. } => {
            ": use a larger --pool, --pool auto, or another allocator"
        }
        StoreError::Full { .. } => {
            ": use another allocator, a smaller graph, or more memory than --pool auto can find here"
        }
        StoreError::Batch { .. } => ": use a --batch of at most 2^30",
        StoreError::Directed => ": use --undirected",
        StoreError::Unweighted => {
            ", read weights from a file, or draw them by gen:KIND,weight-range=1..255"
        }
        _ => "",
    }
}

/// The message of the error of a graph, with the flags for the options of reading it.
pub fn of_graph(error: &GraphError) -> String {
    match error {
        GraphError::NoSides { path, format } => format!(
            "{path}: {format} has one set of vertices here: --bipartite is for edge lists without a \
             .v, and for Matrix Market"
        ),
        GraphError::NoGaps { path, format } => format!(
            "{path}: {format} numbers vertices without gaps: --compact-ids is for edge lists"
        ),
        GraphError::NoWeights { .. }
        | GraphError::HoldsNoWeights { .. }
        | GraphError::HoldsIntegers { .. } => format!("{error}, by --weights none"),
        GraphError::Line {
            path,
            line,
            problem,
        } => format!("{path}:{line}: {}", of_line(problem)),
        _ => error.to_string(),
    }
}

fn of_line(problem: &LineProblem) -> String {
    match problem {
        LineProblem::WideId(id) => format!(
            "vertex id {id}: ids without gaps are below {MAX_VERTICES}; --compact-ids takes any of 64 \
             bits, and numbers those that occur"
        ),
        LineProblem::NotSquare { text } => format!(
            "header `{text}`: --bipartite takes rows and columns for two sets of vertices; without \
             it, a graph is a matrix of as many rows as columns"
        ),
        LineProblem::Bipartite => {
            format!("{problem}: --bipartite numbers the right ones after the left ones")
        }
        LineProblem::Dynamic => format!("{problem}, for --stream"),
        LineProblem::Weight(problem) => {
            format!("{problem}; --weights none reads the edges without weights")
        }
        _ => problem.to_string(),
    }
}

/// The hint behind a note about a graph.
pub fn of_note(note: &Note) -> &'static str {
    match note {
        Note::NoZero => ": if ids count from 1, use --one-based",
        Note::NotMetis { .. } => "; --file-format metis or edges decides",
        Note::NoProperties { .. } => "; --undirected takes them both ways",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use heapwood_graphs::WeightProblem;

    use super::*;
    use crate::link::Kind;

    #[test]
    fn weights_that_cannot_be_used_can_be_left_out() {
        let line = GraphError::Line {
            path: "a.el".to_owned(),
            line: 3,
            problem: WeightProblem::Negative("-1".to_owned()).into(),
        };
        assert_eq!(
            of_graph(&line),
            "a.el:3: the weight `-1` is negative; --weights none reads the edges without weights"
        );
        let none = GraphError::NoWeights {
            path: "a.el".to_owned(),
        };
        assert!(of_graph(&none).ends_with("without weights, by --weights none"));
    }

    #[test]
    fn hints_stand_behind_the_error_that_they_help_with() {
        let overwriting = || StoreError::Overwriting {
            allocator: "scatteralloc",
            pool: 1 << 20,
        };
        let update = Error::Update {
            part: "insert of round 1, batch 2 of 3".to_owned(),
            error: overwriting(),
            before: "this batch",
        };
        let end = "scatteralloc has come to the end of the pool of 1 MiB, and would begin again at its \
                   front, over the graph: use a larger --pool, --pool auto, or another allocator";
        assert_eq!(explain(&overwriting().into()), end);
        let expected =
            format!("insert of round 1, batch 2 of 3: {end}; the graph is as before this batch");
        assert_eq!(explain(&update), expected);
        let frame = Error::Frame {
            number: 2,
            name: "gen:knot".to_owned(),
            error: Box::new(TreeError::CannotFree("awmalloc".to_owned()).into()),
        };
        let message = explain(&frame);
        assert!(
            message.starts_with("frame 2 (gen:knot): awmalloc cannot free "),
            "{message}"
        );
        assert!(message.ends_with(", without --frames"), "{message}");
        assert_eq!(explain(&Error::Failed("no".to_owned())), "no");
        let linking = |error: LinkError| explain(&BackendError::from(error).into());
        let path = || "a.cu".into();
        for (error, begin, end) in [
            (
                LinkError::Unknown {
                    path: path(),
                    on_gpu: true,
                },
                "a.cu: --link takes a cubin, a fatbin, an object or PTX for a GPU",
                "compile the source with nvcc -rdc=true -c",
            ),
            (
                LinkError::NotText {
                    path: path(),
                    kind: Kind::Cubin,
                },
                "a.cu: this is a cubin, and --merge takes PTX: compile it",
                "nvcc -rdc=true -ptx, or leave out --merge",
            ),
            (
                LinkError::Undefined {
                    name: "f".to_owned(),
                },
                "no file has f: give the file that it is in",
                "with another --link",
            ),
        ] {
            let message = linking(error);
            assert!(message.starts_with(begin), "{message}");
            assert!(message.ends_with(end), "{message}");
        }
    }

    #[test]
    fn hints_about_pools_and_checks_name_flags_that_the_library_does_not() {
        let allocator = "cmalloc";
        let heap = [
            HeapError::TooSmall {
                allocator,
                pool: 1,
                needed: 2,
            },
            HeapError::TooLarge {
                allocator,
                pool: 2,
                limit: 1,
            },
            HeapError::Misuse {
                allocator,
                invalid_frees: 1,
                overruns: 2,
            },
            BackendError::OutOfMemory { bytes: 1 }.into(),
            BackendError::Cuda(CudaError::DriverOutOfMemory { call: "cuCall" }).into(),
        ];
        for (error, flag) in heap.into_iter().zip([
            "2 B; use a larger --pool",
            "1 B; use a smaller --pool",
            "--check-heap found 1 invalid frees and 2 blocks",
            "1 B wanted; use a smaller --pool, scene or picture",
            "cuCall: use a smaller --pool, or free memory on the GPU",
        ]) {
            let message = explain(&error.into());
            assert!(message.contains(flag), "{message}");
        }
    }

    #[test]
    fn flags_of_graphs_stand_where_the_library_names_options() {
        let line = |problem| GraphError::Line {
            path: "a.el".to_owned(),
            line: 2,
            problem,
        };
        let sides = GraphError::NoSides {
            path: "a.gr".to_owned(),
            format: heapwood_graphs::Format::Metis,
        };
        let gaps = GraphError::NoGaps {
            path: "a.gr".to_owned(),
            format: heapwood_graphs::Format::Metis,
        };
        for (error, words) in [
            (
                sides,
                "a.gr: DIMACS-10/METIS has one set of vertices here: --bipartite is for edge lists \
                 without a .v, and for Matrix Market",
            ),
            (
                gaps,
                "a.gr: DIMACS-10/METIS numbers vertices without gaps: --compact-ids is for edge lists",
            ),
            (
                line(LineProblem::WideId("9".to_owned())),
                "a.el:2: vertex id 9: ids without gaps are below 268435456; --compact-ids takes any \
                 of 64 bits, and numbers those that occur",
            ),
            (
                line(LineProblem::NotSquare {
                    text: "3 4 1".to_owned(),
                }),
                "a.el:2: header `3 4 1`: --bipartite takes rows and columns for two sets of \
                 vertices; without it, a graph is a matrix of as many rows as columns",
            ),
            (
                line(LineProblem::Bipartite),
                ": --bipartite numbers the right ones after the left ones",
            ),
            (line(LineProblem::Dynamic), "`- u v`, for --stream"),
        ] {
            let message = explain(&Error::Graph(error));
            assert!(message.contains(words), "{message}");
        }
    }
}
