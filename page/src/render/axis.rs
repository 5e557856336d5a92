//! Axes of charts.

/// An axis over positive numbers, logarithmic, on so many pixels.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    min: f64,
    max: f64,
    /// The pixel of the smallest value.
    from: f64,
    /// The pixel of the largest value.
    to: f64,
}

impl Axis {
    /// That of some values; nothing without a positive one.
    pub fn of(values: impl IntoIterator<Item = f64>, from: f64, to: f64) -> Option<Self> {
        let values = values
            .into_iter()
            .filter(|value| *value > 0.0 && value.is_finite());
        let (min, max) = values.fold((f64::INFINITY, 0.0_f64), |(min, max), value| {
            (min.min(value), max.max(value))
        });
        // A single value stands in the middle.
        let (min, max) = match min == max {
            true => (min / 1.1, max * 1.1),
            false => (min, max),
        };
        (min < max).then_some(Self { min, max, from, to })
    }

    /// The same up to a value at most: larger ones are beyond the axis.
    pub fn up_to(self, max: f64) -> Self {
        Self {
            max: self.max.min(max.max(self.min * 1.1)),
            ..self
        }
    }

    /// Whether a value is larger than all on the axis.
    pub fn is_beyond(&self, value: f64) -> bool {
        value > self.max
    }

    /// The pixel of a value.
    pub fn at(&self, value: f64) -> f64 {
        let part = (value / self.min).ln() / (self.max / self.min).ln();
        self.from + part * (self.to - self.from)
    }

    /// Those of some ascending values that are at least `gap` pixels from the one before.
    pub fn apart(&self, values: impl IntoIterator<Item = f64>, gap: f64) -> Vec<f64> {
        let mut kept: Vec<f64> = Vec::new();
        for value in values {
            let is_near = |last: &f64| (self.at(value) - self.at(*last)).abs() < gap;
            if !kept.last().is_some_and(is_near) {
                kept.push(value);
            }
        }
        kept
    }

    /// Round values within the axis, at least `gap` pixels apart.
    pub fn ticks(&self, gap: f64) -> Vec<f64> {
        let fine: Vec<f64> = (50..=60)
            .map(|fiftieth| f64::from(fiftieth) / 50.0)
            .collect();
        let steps: [&[f64]; 7] = [
            // Of an axis that is no longer than from 1 to 1.2.
            &fine,
            &[
                1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0,
            ],
            &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0],
            &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
            &[1.0, 2.0, 5.0],
            &[1.0, 3.0],
            &[1.0],
        ];
        let powers = self.min.log10().floor() as i32..=self.max.log10().ceil() as i32;
        let ticks = |digits: &&[f64]| {
            let all = powers
                .clone()
                .flat_map(|power| digits.iter().map(move |digit| digit * 10_f64.powi(power)));
            let within = all.filter(|tick| (self.min..=self.max).contains(tick));
            within.collect::<Vec<f64>>()
        };
        let is_apart = |ticks: &Vec<f64>| {
            let mut pairs = ticks.windows(2);
            pairs.all(|pair| (self.at(pair[1]) - self.at(pair[0])).abs() >= gap)
        };
        let apart = steps.iter().map(ticks).filter(is_apart);
        let apart: Vec<Vec<f64>> = apart.collect();
        let with = |count: usize| apart.iter().find(|ticks| ticks.len() >= count).cloned();
        let found = with(2).or_else(|| with(1));
        let found = found.unwrap_or_else(|| self.apart(ticks(&steps[6]), gap));
        match found.is_empty() {
            // Too narrow for a round one.
            true => vec![self.min, self.max],
            false => found,
        }
    }
}

/// A number at a tick, short: 1 K, 2.5 M.
pub fn short(value: f64) -> String {
    let units = [(1e9, " G"), (1e6, " M"), (1e3, " K")];
    let unit = units.iter().find(|(size, _)| value >= *size * 0.9995);
    let (value, unit) = unit.map_or((value, ""), |(size, unit)| (value / size, *unit));
    let text = match value {
        value if value >= 99.95 => format!("{value:.0}"),
        value if value >= 9.995 => format!("{value:.1}"),
        value if value >= 0.995 => format!("{value:.2}"),
        value => format!("{value:.5}"),
    };
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    format!("{text}{unit}")
}

/// A multiple of the reference: 1.05, 23.4, 1910, 191 K.
pub fn multiple(value: f64) -> String {
    match value {
        value if value < 9.995 => format!("{value:.2}"),
        value if value < 99.95 => format!("{value:.1}"),
        value if value < 9999.5 => format!("{value:.0}"),
        value => short((value / 1e3).round() * 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_apart() {
        let axis = Axis::of([0.004, 2.0], 0.0, 300.0).unwrap();
        assert_eq!(
            axis.ticks(20.0),
            [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0]
        );
        assert!((axis.at(0.004), axis.at(2.0)) == (0.0, 300.0));
        assert!(Axis::of([0.0, f64::NAN], 0.0, 1.0).is_none());
        let one = Axis::of([5.0], 0.0, 100.0).unwrap();
        assert!((one.at(5.0) - 50.0).abs() < 1e-9 && one.ticks(10.0) == [5.0]);
        let narrow = Axis::of([1.111, 1.112], 0.0, 10.0).unwrap();
        assert_eq!(narrow.ticks(5.0), [1.111, 1.112]);
    }

    #[test]
    fn numbers_are_short() {
        let shorts = [0.005, 0.5, 1000.0, 1_048_576.0, 10_000.0, 3e9].map(short);
        assert_eq!(shorts, ["0.005", "0.5", "1 K", "1.05 M", "10 K", "3 G"]);
        let multiples = [1.049, 23.44, 1910.2, 191_234.0].map(multiple);
        assert_eq!(multiples, ["1.05", "23.4", "1910", "191 K"]);
    }
}
