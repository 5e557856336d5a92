//! Vector clocks: what has happened before what.
//!
//! Each lane counts its releases; what it does between two of them is one
//! *epoch*. A clock says of every lane up to which epoch its actions happen
//! before the clock's owner's next one.

use std::rc::Rc;

/// The epochs of all lanes that happen before something. A clone is the same memory
/// until one of the two changes: stores carry the clocks of who released them.
#[derive(Clone, Debug)]
pub struct Clock(Rc<[u32]>);

impl Clock {
    /// Nothing happens before.
    pub fn new(lanes: u32) -> Self {
        Self(vec![0; lanes as usize].into())
    }

    /// Makes all that happens before `other` happen before this.
    pub fn join(&mut self, other: &Self) {
        // Most acquire what they know: their memory stays that of others.
        if Rc::ptr_eq(&self.0, &other.0) || self.covers_all(other) {
            return;
        }
        let own = Rc::make_mut(&mut self.0);
        for (own, other) in own.iter_mut().zip(&*other.0) {
            *own = (*own).max(*other);
        }
    }

    fn covers_all(&self, other: &Self) -> bool {
        // Most do cover all, and without an end at the first that is not covered several epochs are
        // compared at a time.
        let pairs = self.0.iter().zip(&*other.0);
        pairs.fold(true, |all, (own, other)| all & (own >= other))
    }

    /// Begins the next epoch of `lane`, whose clock this is.
    pub fn advance(&mut self, lane: u32) {
        Rc::make_mut(&mut self.0)[lane as usize] += 1;
    }

    /// The epoch of `lane`.
    pub fn epoch(&self, lane: u32) -> u32 {
        self.0[lane as usize]
    }

    /// Whether what `lane` did in `epoch` happens before.
    pub fn covers(&self, lane: u32, epoch: u32) -> bool {
        self.0[lane as usize] >= epoch
    }
}
