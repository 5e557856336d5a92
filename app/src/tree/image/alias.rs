//! Tables by which one of several things is chosen, each with its own chance.

use heapwood_device::render::AliasEntry;

/// Vose's table of these weights: entries of equal chance, each of at most two things. Where all
/// weights are 0, all chances are equal.
pub(super) fn choices(weights: &[f64]) -> Vec<AliasEntry> {
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    let mut entries: Vec<AliasEntry> = (0..weights.len())
        .map(|index| AliasEntry {
            other: index as u32,
            threshold: 1.0,
        })
        .collect();
    if mean <= 0.0 {
        return entries;
    }
    let mut left: Vec<f64> = weights.iter().map(|weight| weight / mean).collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) =
        (0..weights.len()).partition(|&index| left[index] < 1.0);
    while let (Some(less), Some(&more)) = (small.pop(), large.last()) {
        entries[less] = AliasEntry {
            other: more as u32,
            threshold: left[less] as f32,
        };
        left[more] -= 1.0 - left[less];
        if left[more] < 1.0 {
            large.pop();
            small.push(more);
        }
    }
    entries
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The chance of each thing.
    pub fn chances(entries: &[AliasEntry]) -> Vec<f64> {
        let mut chances = vec![0.0; entries.len()];
        for (index, entry) in entries.iter().enumerate() {
            let first = f64::from(entry.threshold) / entries.len() as f64;
            chances[index] += first;
            chances[entry.other as usize] += 1.0 / entries.len() as f64 - first;
        }
        chances
    }

    #[test]
    fn things_are_chosen_in_proportion_to_their_weight() {
        for weights in [
            vec![3.0, 0.5, 0.0625, 7.0, 1.0, 1.0, 0.25],
            vec![0.0, 2.0, 0.0],
            vec![0.1],
        ] {
            let sum: f64 = weights.iter().sum();
            let found = chances(&choices(&weights));
            for (chance, weight) in found.iter().zip(&weights) {
                assert!((chance - weight / sum).abs() < 1e-6, "{found:?}");
            }
        }
        assert_eq!(chances(&choices(&[0.0; 4])), [0.25; 4]);
        assert_eq!(choices(&[]), []);
    }
}
