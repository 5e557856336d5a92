//! A watch over calls of the user's functions, which may never return: a thread of the CPU cannot
//! be ended. It says once what it waits for.

use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::link::AboutFile;

/// How long a call takes before that is said.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two looks at the call.
const PAUSE: Duration = Duration::from_secs(1);

/// Prints the line.
static NOTICE: OnceLock<fn(&str)> = OnceLock::new();

/// Has `notice` called with a line about the first call of the user's functions on the CPU that
/// takes long. Without it nothing is printed.
pub fn tell_of_long_calls(notice: fn(&str)) {
    // The first one stays.
    let _ = NOTICE.set(notice);
}

/// A watch over the functions of some files.
pub struct Watch {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    ended: Condvar,
    /// The files.
    files: String,
}

#[derive(Default)]
struct State {
    /// The running call, and when it began.
    call: Option<(&'static str, Instant)>,
    ended: bool,
}

impl Watch {
    /// Starts the thread; none without a notice function.
    pub fn new(files: &[AboutFile]) -> Option<Self> {
        let notice = *NOTICE.get()?;
        let files: Vec<&str> = files.iter().map(|file| file.file.as_str()).collect();
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            ended: Condvar::new(),
            files: files.join(", "),
        });
        let watched = Arc::clone(&shared);
        let (begin, begun) = channel();
        let thread = thread::Builder::new().spawn(move || {
            let _ = begin.send(());
            watched.watch(PATIENCE, PAUSE, notice);
        });
        // A thread does not begin while a library is being loaded, which holds the dynamic linker's
        // lock. Without a thread nothing is said, and the calls are the same.
        thread.ok()?;
        begun.recv().ok()?;
        Some(Self { shared })
    }

    /// Makes a call that `what` names.
    pub fn over<T>(watch: Option<&Self>, what: &'static str, call: impl FnOnce() -> T) -> T {
        let set = |call| {
            if let Some(watch) = watch {
                watch.shared.lock().call = call;
            }
        };
        set(Some((what, Instant::now())));
        let result = call();
        set(None);
        result
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.lock().ended = true;
        self.shared.ended.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the call until one takes long, or the watch ends.
    fn watch(&self, patience: Duration, pause: Duration, notice: impl FnOnce(&str)) {
        let mut state = self.lock();
        while !state.ended {
            if let Some((what, since)) = state.call
                && since.elapsed() >= patience
            {
                drop(state);
                notice(&format!(
                    "{}: {what} is not done after {} s; on the CPU nothing ends it, so that this \
                     goes on for as long as the functions do not return",
                    self.files,
                    patience.as_secs()
                ));
                return;
            }
            let waited = self.ended.wait_timeout(state, pause);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn watch(call: Option<(&'static str, Instant)>, ended: bool) -> Option<String> {
        let shared = Shared {
            state: Mutex::new(State { call, ended }),
            ended: Condvar::new(),
            files: "a.so".to_owned(),
        };
        let said = Cell::new(None);
        shared.watch(Duration::from_secs(2), Duration::ZERO, |line| {
            said.set(Some(line.to_owned()));
        });
        said.into_inner()
    }

    #[test]
    fn a_call_that_takes_long_is_named() {
        let before = Instant::now() - Duration::from_secs(2);
        let said = watch(Some(("loading it", before)), false).unwrap();
        assert!(
            said.starts_with("a.so: loading it is not done after 2 s;"),
            "{said}"
        );
        assert_eq!(watch(Some(("loading it", before)), true), None);
    }

    #[test]
    fn calls_are_made_with_and_without_a_watch() {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            ended: Condvar::new(),
            files: String::new(),
        });
        let watch = Watch {
            shared: Arc::clone(&shared),
        };
        let called = Watch::over(Some(&watch), "this", || {
            shared.lock().call.map(|(what, _)| what)
        });
        assert_eq!(called, Some("this"));
        assert!(shared.lock().call.is_none());
        assert_eq!(Watch::over(None, "this", || 1), 1);
        drop(watch);
        assert!(shared.lock().ended);
    }
}
