//! The vertices that a report lists.

/// So many vertices of the highest values, of equal ones the first; none whose value is 0, as that of a
/// deleted one.
pub(super) fn highest<T: Copy + Into<f64>>(values: &[T], count: usize) -> Vec<u32> {
    let value = |vertex: u32| -> f64 { values[vertex as usize].into() };
    let before = |a: &u32, b: &u32| value(*b).total_cmp(&value(*a)).then(a.cmp(b));
    let mut vertices: Vec<u32> = (0..values.len() as u32)
        .filter(|&vertex| value(vertex) != 0.0)
        .collect();
    if (1..vertices.len()).contains(&count) {
        vertices.select_nth_unstable_by(count - 1, before);
    }
    vertices.truncate(count);
    vertices.sort_unstable_by(before);
    vertices
}

#[cfg(test)]
mod tests {
    use super::highest;

    #[test]
    fn the_highest_come_first() {
        let ranks = [0.1, 0.4, 0.1, 0.3, 0.1];
        assert_eq!(highest(&ranks, 0), [0_u32; 0]);
        assert_eq!(highest(&ranks, 3), [1, 3, 0]);
        assert_eq!(highest(&ranks, 9), [1, 3, 0, 2, 4]);
        assert_eq!(highest::<f32>(&[], 2), [0_u32; 0]);
        assert_eq!(highest(&[0.0, 0.1, 0.0], 9), [1]);
    }
}
