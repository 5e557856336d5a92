//! Samples as whole numbers: the differences of neighbours compress better than decimals.

use heapwood_results::Samples;

/// The digits of a sample behind its first.
const DIGITS: i32 = 3;

/// The exponent of the samples' unit, a power of ten; the median in tenths of it; the middle sample
/// minus the median; and each sample minus the one before. Nothing if that is not exact.
pub fn pack(samples: &Samples) -> Option<Vec<i64>> {
    let smallest = samples.samples.first().unwrap_or(&samples.median);
    let text = format!("{smallest:e}");
    let unit = text.split_once('e')?.1.parse::<i32>().ok()? - DIGITS;
    let whole = |value: f64, unit: i32| (value / 10_f64.powi(unit)).round() as i64;
    let median = whole(samples.median, unit - 1);
    let all = samples.samples.iter();
    let all: Vec<i64> = all.map(|sample| whole(*sample, unit)).collect();
    let mut packed = vec![i64::from(unit), median];
    packed.extend(
        all.get(all.len() / 2)
            .map(|middle| middle.wrapping_sub(median / 10)),
    );
    packed.extend(all.windows(2).map(|pair| pair[1].wrapping_sub(pair[0])));
    (unpack(&packed).as_ref() == Some(samples)).then_some(packed)
}

/// The samples of such numbers; nothing of others.
pub fn unpack(packed: &[i64]) -> Option<Samples> {
    let [unit, median, differences @ ..] = packed else {
        return None;
    };
    let mut all: Vec<i64> = Vec::new();
    if let [middle, steps @ ..] = differences {
        // At first the smallest is zero.
        all.push(0);
        for step in steps {
            all.push(all[all.len() - 1].wrapping_add(*step));
        }
        let middle = middle.wrapping_add(median / 10);
        let smallest = middle.wrapping_sub(all[all.len() / 2]);
        for sample in &mut all {
            *sample = sample.wrapping_add(smallest);
        }
    }
    let value = |whole: i64, unit: i64| format!("{whole}e{unit}").parse().ok();
    let samples = all.iter().map(|whole| value(*whole, *unit));
    Some(Samples {
        samples: samples.collect::<Option<_>>()?,
        median: value(*median, unit.wrapping_sub(1))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_come_back_as_they_were() {
        let of = |samples: &[f64], median| Samples {
            samples: samples.to_vec(),
            median,
        };
        let three = of(&[0.9987, 1.002, 12.5], 1.0021);
        assert_eq!(pack(&three), Some(vec![-4, 100_210, -1, 33, 114_980]));
        let others = [
            of(&[], 3e-7),
            of(&[0.0], 0.0),
            of(&[2e9, 5e9], 3.5e9),
            of(&[-1.5], -1.5),
        ];
        for samples in others.iter().chain([&three]) {
            assert_eq!(unpack(&pack(samples).unwrap()).as_ref(), Some(samples));
        }
        assert_eq!(pack(&of(&[], f64::NAN)), None);
        assert_eq!(pack(&of(&[1e-30], 1e30)), None);
        assert_eq!(unpack(&[-4]), None);
    }
}
