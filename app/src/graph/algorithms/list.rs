//! Code that follows from the list of algorithms. Each algorithm has a field of the flags, the
//! files for values, the requests, the results and the reports. Loops go over these.

use super::{Algorithm, ReportContext, Results};
use crate::samples::Samples;

/// The structs and loops of a list of `name: file::Result => "key"`.
macro_rules! algorithms {
    ($($name:ident: $file:ident::$result:ident => $key:literal),+ $(,)?) => {
        /// The types of the results.
        pub mod results {
            $(pub use super::$file::$result;)+
        }

        /// The flags of all algorithms, in the order of the list.
        #[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "cli", derive(clap::Args))]
        pub struct Flags {
            $(
                #[doc = concat!("The flags for `", stringify!($result), "`.")]
                #[cfg_attr(feature = "cli", command(flatten))]
                pub $name: <$file::$result as Algorithm>::Flags,
            )+
        }

        /// Where the values of all vertices go, of each algorithm to a file of its own.
        #[derive(Clone, Debug, Default)]
        #[cfg_attr(feature = "cli", derive(clap::Args))]
        pub struct Saves {
            $(
                #[doc = concat!("The file for `", stringify!($result), "`.")]
                #[cfg_attr(feature = "cli", arg(
                    id = concat!("save-", $key),
                    long = concat!("save-", $key),
                    group = concat!($key, "-asked"),
                    value_name = "FILE",
                    hide_short_help = true,
                    help_heading = SAVES_HEADING,
                    help = concat!("Write the values of --", $key)
                ))]
                pub $name: Option<std::path::PathBuf>,
            )+
            /// Write parents in a tree of shortest paths to --save-sssp, too
            ///
            /// They are a third column: the source has itself, and a vertex without a path has -1.
            #[cfg_attr(feature = "cli", arg(
                long,
                requires = "save-sssp",
                hide_short_help = true,
                help_heading = SAVES_HEADING
            ))]
            pub parents: bool,
        }

        impl Saves {
            /// The files.
            pub fn files(&self) -> Vec<&std::path::Path> {
                [$(self.$name.as_deref()),+].into_iter().flatten().collect()
            }
        }

        /// The algorithms to run on a graph after all updates.
        #[derive(Clone, Debug, Default)]
        pub struct Algorithms {
            $(
                #[doc = concat!("Whether `", stringify!($result), "` are asked for, and how.")]
                pub $name: <$file::$result as Algorithm>::Request,
            )+
            /// After each round, PageRank, triangles and components also from those before it.
            pub incremental: bool,
        }

        /// The results of the requested algorithms on a graph.
        #[derive(Clone, Debug)]
        pub struct Results {
            $(
                #[doc = concat!("The `", stringify!($result), "` that were found.")]
                pub $name: Option<$file::$result>,
            )+
        }

        impl Algorithms {
            /// The request that flags and files for values make of a graph; nothing incremental.
            ///
            /// # Errors
            ///
            /// [`Error::Usage`] for a request that this graph does not support.
            pub fn request(flags: &Flags, saves: &Saves, graph: &Input) -> Result<Self, Error> {
                Ok(Self {
                    $($name: $file::$result::request(flags, saves, graph)?,)+
                    incremental: false,
                })
            }

            /// Reports the results of runs, at least one, that found the same.
            ///
            /// # Panics
            ///
            /// If there are no runs.
            pub fn report(&self, runs: &[&Results], context: &ReportContext) -> AlgorithmReports {
                AlgorithmReports {
                    $($name: self.$name.asked().and_then(|options| {
                        list::report(options, runs, |found| found.$name.as_ref(), context)
                    }),)+
                }
            }

            /// Computes what is asked for.
            ///
            /// # Errors
            ///
            /// When there is not enough memory, and faults of the backend.
            pub fn run(&self, store: &Store) -> Result<Results, StoreError> {
                Ok(Results {
                    $($name: match self.$name.asked() {
                        Some(options) => Some($file::$result::run(options, store)?),
                        None => None,
                    },)+
                })
            }
        }

        impl Results {
            /// Compares them with independent implementations; returns what was compared.
            ///
            /// # Errors
            ///
            /// [`Error::Verification`] with the first difference, and those of running an
            /// algorithm again.
            pub fn verify(
                &self,
                algorithms: &Algorithms,
                store: &Store,
                reference: &Reference,
            ) -> Result<Vec<String>, Error> {
                let mut verified = Vec::new();
                $(if let (Some(found), Some(options)) = (&self.$name, algorithms.$name.asked()) {
                    verified.push(found.verify(options, store, reference)?);
                })+
                Ok(verified)
            }

            /// Gives `save` the values that files are named for.
            ///
            /// # Errors
            ///
            /// Those of `save`, and when there is not enough memory.
            pub fn save(
                &self,
                saves: &Saves,
                store: &Store,
                mut save: impl FnMut(&std::path::Path, &Values) -> Result<(), Error>,
            ) -> Result<(), Error> {
                $(if let (Some(path), Some(found)) = (&saves.$name, &self.$name) {
                    save(path, &found.values(store)?)?;
                })+
                Ok(())
            }

            /// Frees what they hold for each vertex.
            pub(crate) fn drop_vertices(&mut self) {
                $(if let Some(found) = &mut self.$name {
                    found.drop_vertices();
                })+
            }
        }

    };
}

/// The report of an algorithm, if the first run has its result.
pub(super) fn report<A: Algorithm>(
    options: &A::Options,
    runs: &[&Results],
    of: impl Fn(&Results) -> Option<&A>,
    context: &ReportContext,
) -> Option<A::Report> {
    let times = runs.iter().filter_map(|run| of(run)).map(A::ms);
    let ms = Samples::new(times.collect())?;
    Some(of(runs[0])?.report(options, ms, context))
}
