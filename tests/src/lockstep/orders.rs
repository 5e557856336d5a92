//! The orderings that a kernel asks for, call by call: a list of them, and one
//! that is weakened, for tests of the tests.
//!
//! Both apply to all runs of this host thread.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::panic::Location;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

use cuda_std::schedule::{Access, Operation};

/// A call in the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The file, from the root of the workspace on.
    pub file: &'static str,
    /// The line.
    pub line: u32,
}

impl From<&'static Location<'static>> for Site {
    fn from(location: &'static Location<'static>) -> Self {
        let path = location.file();
        // Cargo names the files of a workspace from its root on, others do not.
        let root = path.find("device/src/").unwrap_or(0);
        Self {
            file: &path[root..],
            line: location.line(),
        }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The strength with which a call orders accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// Nothing: a relaxed access, no fence, or lanes that meet as for a vote.
    Nothing,
    /// An acquire.
    Acquire,
    /// A release.
    Release,
    /// Both.
    AcquireRelease,
    /// Both, and one order of all such.
    Sequential,
    /// `sync`.
    Sync,
}

impl Strength {
    fn of(order: Ordering) -> Self {
        match order {
            Relaxed => Self::Nothing,
            Acquire => Self::Acquire,
            Release => Self::Release,
            AcqRel => Self::AcquireRelease,
            _ => Self::Sequential,
        }
    }

    fn order(self) -> Ordering {
        match self {
            Self::Nothing => Relaxed,
            Self::Acquire => Acquire,
            Self::Release => Release,
            Self::AcquireRelease => AcqRel,
            Self::Sequential | Self::Sync => SeqCst,
        }
    }

    /// The next weaker ones.
    pub fn weaker(self) -> &'static [Self] {
        match self {
            Self::Nothing => &[],
            Self::Acquire | Self::Release | Self::Sync => &[Self::Nothing],
            Self::AcquireRelease => &[Self::Acquire, Self::Release],
            Self::Sequential => &[Self::AcquireRelease],
        }
    }
}

/// A call with the strength that it requests: the same call may be made with several orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Request {
    /// The call.
    pub site: Site,
    /// The strength that it requests.
    pub strength: Strength,
}

/// A call that gets less than it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weakening {
    /// The call.
    pub request: Request,
    /// The strength that it gets.
    pub to: Strength,
}

thread_local! {
    static WEAKENED: Cell<Option<Weakening>> = const { Cell::new(None) };
    static RECORD: RefCell<Option<BTreeMap<Request, u64>>> = const { RefCell::new(None) };
}

/// Ends a weakening, also when a panic does.
struct Restore(Option<Weakening>);

impl Drop for Restore {
    fn drop(&mut self) {
        WEAKENED.set(self.0);
    }
}

/// Calls `body`, in all of whose runs a call is weakened.
pub fn with_weakened<T>(weakening: Weakening, body: impl FnOnce() -> T) -> T {
    let _restore = Restore(WEAKENED.replace(Some(weakening)));
    body()
}

/// Calls `body`, and gives back which calls ordered anything in its runs with
/// weak memory, and how often.
pub fn record<T>(body: impl FnOnce() -> T) -> (T, BTreeMap<Request, u64>) {
    RECORD.set(Some(BTreeMap::new()));
    let result = body();
    (result, RECORD.take().unwrap_or_default())
}

/// The orders of a run.
pub(super) struct Orders {
    weakened: Option<Weakening>,
    records: bool,
}

impl Orders {
    /// As `with_weakened` and `record` have it.
    pub(super) fn of_this_thread() -> Self {
        Self {
            weakened: WEAKENED.get(),
            records: RECORD.with_borrow(Option::is_some),
        }
    }

    fn strength(&self, asked: Strength, location: &'static Location<'static>) -> Strength {
        if asked == Strength::Nothing {
            return asked;
        }
        if let Some(Weakening { request, to }) = self.weakened
            && request.site.line == location.line()
            && request.strength == asked
            && request.site == location.into()
        {
            return to;
        }
        if self.records {
            let request = Request {
                site: location.into(),
                strength: asked,
            };
            RECORD.with_borrow_mut(|record| {
                let record = record.get_or_insert_default();
                *record.entry(request).or_default() += 1;
            });
        }
        asked
    }

    /// The order that an access gets.
    pub(super) fn of(&self, access: &Access) -> Ordering {
        match access.operation {
            Operation::PlainRead | Operation::PlainWrite => Relaxed,
            _ => self
                .strength(Strength::of(access.order), access.site)
                .order(),
        }
    }

    /// Whether a call of `sync` orders anything.
    pub(super) fn keeps_sync(&self, location: &'static Location<'static>) -> bool {
        self.strength(Strength::Sync, location) == Strength::Sync
    }
}
