//! Vectors of three doubles.

/// Three coordinates.
pub type Vector = [f64; 3];

/// Floats as doubles.
pub fn widen(v: [f32; 3]) -> Vector {
    v.map(f64::from)
}

/// `a - b`.
pub fn minus(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|i| a[i] - b[i])
}

/// `a + t * b`.
pub fn along(a: Vector, t: f64, b: Vector) -> Vector {
    [0, 1, 2].map(|i| a[i] + t * b[i])
}

/// The scalar product.
pub fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

/// The vector product.
pub fn cross(a: Vector, b: Vector) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| a[i] * b[j] - a[j] * b[i])
}

/// The length.
pub fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}
