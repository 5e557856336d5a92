//! Searches of rays in a tree, for the closest hit or any, and the nodes and triangles visited.

/// The first hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Number of the triangle, or `u32::MAX` for none.
    pub triangle: u32,
    /// The parameter: the hit is at `origin + t * direction`. Infinite for none.
    pub t: f32,
}

impl Hit {
    /// No hit.
    pub const NONE: Self = Self {
        triangle: u32::MAX,
        t: f32::INFINITY,
    };

    /// Whether the ray hits anything.
    #[inline(always)]
    pub fn is_some(self) -> bool {
        self.triangle != u32::MAX
    }

    /// The first of this hit and the one of `triangle` at `t`.
    #[inline(always)]
    pub fn or_closer(self, triangle: u32, t: f32) -> Self {
        if t < self.t || (t == self.t && triangle < self.triangle) {
            Self { triangle, t }
        } else {
            self
        }
    }
}

/// Counts what a traversal visits.
pub trait Counter {
    /// A node is visited.
    fn visit(&mut self);
    /// A triangle is tested.
    fn test(&mut self);
}

/// Counts nothing, and compiles to nothing.
pub struct Uncounted;

impl Counter for Uncounted {
    #[inline(always)]
    fn visit(&mut self) {}

    #[inline(always)]
    fn test(&mut self) {}
}

/// The visits of a traversal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visits {
    /// Nodes, leaves among them.
    pub nodes: u32,
    /// Triangles tested; one in several leaves counts for each.
    pub triangles: u32,
}

impl Counter for Visits {
    #[inline(always)]
    fn visit(&mut self) {
        self.nodes += 1;
    }

    #[inline(always)]
    fn test(&mut self) {
        self.triangles += 1;
    }
}

/// The search of a ray.
pub(super) trait Search: Counter {
    /// The parameter behind which nothing is of interest any more.
    fn farthest(&self) -> f32;
    /// Whether this triangle's hit was taken: leaves that share a triangle do not test it again.
    fn has(&self, triangle: u32) -> bool;
    /// Takes a hit; whether it ends the search.
    fn found(&mut self, triangle: u32, t: f32) -> bool;
}

/// The closest hit.
pub(super) struct Closest<'a, C> {
    pub best: Hit,
    pub counter: &'a mut C,
}

impl<C: Counter> Counter for Closest<'_, C> {
    #[inline(always)]
    fn visit(&mut self) {
        self.counter.visit();
    }

    #[inline(always)]
    fn test(&mut self) {
        self.counter.test();
    }
}

impl<C: Counter> Search for Closest<'_, C> {
    #[inline(always)]
    fn farthest(&self) -> f32 {
        self.best.t
    }

    #[inline(always)]
    fn has(&self, triangle: u32) -> bool {
        self.best.triangle == triangle
    }

    #[inline(always)]
    fn found(&mut self, triangle: u32, t: f32) -> bool {
        self.best = self.best.or_closer(triangle, t);
        false
    }
}

/// Any hit up to a limit.
pub(super) struct Any {
    pub farthest: f32,
    pub is_found: bool,
}

impl Counter for Any {
    #[inline(always)]
    fn visit(&mut self) {}

    #[inline(always)]
    fn test(&mut self) {}
}

impl Search for Any {
    #[inline(always)]
    fn farthest(&self) -> f32 {
        self.farthest
    }

    #[inline(always)]
    fn has(&self, _triangle: u32) -> bool {
        false
    }

    #[inline(always)]
    fn found(&mut self, _triangle: u32, t: f32) -> bool {
        self.is_found = t <= self.farthest;
        self.is_found
    }
}
