//! Over-relaxation: fewer iterations for undirected graphs.
//!
//! A plain iteration makes ranks G x of ranks x, by a linear map G. In an undirected
//! graph the eigenvalues of G are real, from -d to d for a damping of d, and near a
//! fixed point what is left shrinks by the largest of them each time. A step that
//! goes on in the direction of the last two, from x(k-1) over G x(k) to
//!
//! `x(k+1) = x(k-1) + w (G x(k) - x(k-1))`,
//!
//! converges for any real eigenvalues below 1 in size and any factor w from 1 to
//! below 2: each part of the error then follows z^2 = w l z - (w - 1) for its
//! eigenvalue l. It does so best at w = 2 / (1 + sqrt(1 - l^2)) for the largest l (Golub
//! and Varga 1961, second-order Richardson iteration), which halves the number of
//! iterations of graphs that take many. In a directed graph eigenvalues may be
//! complex, and steps stay plain.
//!
//! The largest eigenvalue that matters shows in how changes shrink, from which the
//! factor is set anew for each iteration: with the factor for d, graphs that need few
//! plain steps would need more. Changes are sums of integers, so all warps, and all
//! backends but for the rounding of sums, find the same.

/// The change from which on steps are plain: what is left is of the size of the last
/// digits of `f32`, which only plain steps bring to rest.
const CLOSE: f64 = 2e-7;

/// How the steps of an iteration are over-relaxed.
#[derive(Clone, Copy, Debug)]
pub struct Relaxation {
    /// The factor: 1 for plain steps, always below 2. Half the registers of an `f64`.
    pub factor: f32,
    /// The eigenvalue that the change of the iteration before has shown, at most the
    /// damping; 0 if none was seen.
    pub shown: f64,
}

impl Relaxation {
    /// Plain steps.
    pub const NONE: Self = Self {
        factor: 1.0,
        shown: 0.0,
    };

    /// How to go on if the iteration over-relaxed like this has made a change of `change`,
    /// after one of `before`; 0 if there was none before.
    #[inline(always)]
    pub fn next(self, change: f64, before: f64, damping: f64) -> Self {
        // A change that does not shrink is no sign of an eigenvalue either.
        if change <= CLOSE || change >= before {
            return Self::NONE;
        }
        let (rate, factor) = (change / before, f64::from(self.factor));
        // A change that shrinks no slower than the factor makes it tells nothing.
        if rate * rate <= factor - 1.0 {
            return self;
        }
        let shown = (rate * rate + factor - 1.0) / (factor * rate);
        let shown = if shown < damping { shown } else { damping };
        // A change that begins at few vertices, as after a batch of updates, shrinks by no more
        // than the damping until it has spread, whatever the graph. So the smaller of
        // two eigenvalues in a row counts.
        let value = if shown < self.shown {
            shown
        } else {
            self.shown
        };
        // Its limit, for the same value again and again, is the best factor.
        let longer = 1.0 / (1.0 - value * value * factor / 4.0);
        Self {
            factor: if longer > factor { longer } else { factor } as f32,
            shown,
        }
    }
}

/// A contribution of an over-relaxed step, from the one that a plain step gives and the one of
/// two iterations ago. None is negative in the end, so less than 0 is only farther off.
#[inline(always)]
pub fn extrapolate(plain: f64, before: f64, factor: f32) -> f64 {
    let contribution = before + f64::from(factor) * (plain - before);
    if contribution > 0.0 {
        contribution
    } else {
        0.0
    }
}

#[cfg(all(test, not(target_arch = "nvptx64")))]
mod tests {
    use super::*;

    /// An error of one eigenvalue shrinks faster than by plain steps, which end it.
    #[test]
    fn fewer_steps_are_needed() {
        for value in [0.3, 0.6, 0.85_f64] {
            let (mut old, mut error, mut relaxation) = (1.0, value, Relaxation::NONE);
            let (mut last, mut change, mut steps) = (0.0, 1.0 - value, 1);
            while change > CLOSE {
                relaxation = relaxation.next(change, last, 0.85);
                last = change;
                change = (1.0 - value) * f64::abs(error);
                (old, error) = (
                    error,
                    old + f64::from(relaxation.factor) * (value * error - old),
                );
                steps += 1;
            }
            let plain = CLOSE.ln() / value.ln();
            assert!(f64::from(steps) < 0.8 * plain, "{value}: {steps}, {plain}");
            let end = relaxation.next(change, last, 0.85);
            assert!(end.factor == 1.0, "{value}");
        }
    }

    /// One change that shrinks slowly makes no long steps.
    #[test]
    fn one_sign_is_not_enough() {
        let first = Relaxation::NONE.next(1e-3, 1.2e-3, 0.85);
        assert!(first.factor == 1.0 && first.shown > 0.8);
        let second = first.next(3e-4, 1e-3, 0.85);
        assert!(second.factor > 1.02 && second.factor < 1.03);
        assert!(second.next(4e-4, 3e-4, 0.85).factor == 1.0);
    }
}
