//! Time over memory, and time over registers: the allocators that no other beats in both.

use maud::{Markup, html};

use super::View;
use super::axis::{Axis, multiple, short};
use super::curves::{columns, rows};
use crate::{Case, Section, means};

/// The size of a chart, and its margins: left, top, right, bottom.
const SIZE: (f64, f64) = (640.0, 420.0);
const MARGINS: [f64; 4] = [52.0, 40.0, 24.0, 44.0];
/// The longest time on an axis, as a multiple of the median: longer ones stand at its end.
const MAX_RATIO: f64 = 2.5;
/// The width of a letter at most, and the height of a line, in pixels.
const LETTER: (f64, f64) = (6.2, 12.0);
/// The fewest points of a chart.
const MIN_POINTS: usize = 3;

/// An allocator in a chart.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point<'p> {
    allocator: &'p str,
    /// Its cost: memory or registers.
    cost: f64,
    /// Its time, as a multiple of the reference's.
    time: f64,
    frees: bool,
}

/// Both charts of a section, as far as there are figures.
pub fn charts(view: &View, section: Section, cases: &[Case]) -> Markup {
    let all = means::comparable(cases, &view.allocators_of(cases));
    let points = |cost: &dyn Fn(&str) -> Option<f64>| {
        let points = all.iter().filter_map(|(allocator, time)| {
            Some(Point {
                allocator,
                cost: cost(allocator)?,
                time: time.value,
                frees: view.frees(allocator),
            })
        });
        points.collect::<Vec<Point>>()
    };
    let frees = |allocator: &str| view.frees(allocator);
    let fragmentation = view.sections.iter();
    let mut fragmentation = fragmentation.filter(|(section, _)| *section == Section::Fragmentation);
    let fragmentation = fragmentation.next().map_or(&[][..], |(_, cases)| cases);
    let memory =
        points(&|allocator| Some(means::memory(cases, fragmentation, allocator, &frees)?.value));
    let registers = points(&|allocator| view.registers(allocator).map(f64::from));
    let own = cases
        .iter()
        .any(|case| case.cells.values().any(|one| one.memory.is_some()));
    let memory_axis = match own {
        true => "most bytes in use, as a multiple of the least",
        false => "addresses of blocks, as a multiple of the fewest bytes",
    };
    let title = section.title();
    html! {
        div.charts.wide {
            (draw(view, &format!("{title}: time over memory"), memory_axis, &memory))
            (draw(view, &format!("{title}: time over registers"), "registers of a thread", &registers))
        }
        @if memory.len() >= MIN_POINTS || registers.len() >= MIN_POINTS {
            p.note {
                "Figures are means over the cases, of allocators with at least half of them. The line \
                 joins allocators that free and that no other beats in both figures. Hollow points \
                 cannot free, or overwrite."
            }
        }
    }
}

/// The points that no other has both less cost and less time than, from left to right.
fn front<'p>(points: &[Point<'p>]) -> Vec<Point<'p>> {
    let mut sorted: Vec<Point> = points.iter().filter(|point| point.frees).copied().collect();
    sorted.sort_by(|one, other| {
        let costs = one.cost.total_cmp(&other.cost);
        costs.then(one.time.total_cmp(&other.time))
    });
    let mut front: Vec<Point> = Vec::new();
    for point in sorted {
        if front.last().is_none_or(|last| point.time < last.time) {
            front.push(point);
        }
    }
    front
}

fn draw(view: &View, title: &str, cost: &str, points: &[Point]) -> Markup {
    let (width, height) = SIZE;
    let [left, top, right, bottom] = MARGINS;
    let (right, bottom) = (width - right, height - bottom);
    let x = Axis::of(points.iter().map(|point| point.cost), left + 8.0, right);
    let y = Axis::of(
        points.iter().map(|point| point.time),
        bottom - 8.0,
        top + 8.0,
    );
    let (Some(x), Some(y)) = (x, y) else {
        return html! {};
    };
    if points.len() < MIN_POINTS {
        return html! {};
    }
    let (x_axis, y_axis) = (x, y.up_to(MAX_RATIO * median(points)));
    let at = |point: &Point| (x_axis.at(point.cost), y_axis.at(point.time).max(top));
    let front = front(points);
    let steps = front.iter().enumerate().map(|(place, point)| {
        let (x, y) = at(point);
        match place {
            0 => format!("M{} {}", pixel(x), pixel(y)),
            _ => format!("H{}V{}", pixel(x), pixel(y)),
        }
    });
    let path: String = steps.collect();
    let names: Vec<&str> = front.iter().map(|point| point.allocator).collect();
    let label = format!("{title}. No other beats {}", names.join(", "));
    let label_of = |point: &Point| match y_axis.is_beyond(point.time) {
        true => format!("{} ({})", point.allocator, multiple(point.time)),
        false => point.allocator.to_owned(),
    };
    let is_left = |x: f64| x > (left + right) / 2.0;
    let spans = points.iter().map(|point| {
        let (x, y) = at(point);
        let width = 11.0 + LETTER.0 * label_of(point).len() as f64;
        match is_left(x) {
            true => (x - width, x, y),
            false => (x, x + width, y),
        }
    });
    let labels = spread(&Vec::from_iter(spans), (top, bottom));
    html! {
        svg.chart viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(label) {
            text.title x="4" y="16" { (title) }
            g.grid {
                (columns(&x_axis, &x_axis.ticks(44.0), [left, top, right, bottom]))
                (rows(&y_axis, [left, top, right, bottom]))
            }
            text.middle x=((left + right) / 2.0) y=(height - 6.0) { (cost) }
            path.front d=(path) {}
            @for (point, label) in points.iter().zip(labels) {
                @let (x, y) = at(point);
                @let beside = if is_left(x) { -1.0 } else { 1.0 };
                g class={ "r" (view.number(point.allocator)) } {
                    @if (label - y).abs() > 4.0 {
                        path.leader d={ "M" (pixel(x)) " " (pixel(y)) "L" (pixel(x + 9.0 * beside)) " " (pixel(label)) } {}
                    }
                    text class=[is_left(x).then_some("end")] x=(pixel(x + 11.0 * beside))
                        y=(pixel(label + 4.0)) { (label_of(point)) }
                }
            }
            // Above all labels.
            @for point in points {
                @let (x, y) = at(point);
                @let class = if point.frees { "" } else { " hollow" };
                circle class={ "r" (view.number(point.allocator)) (class) } cx=(pixel(x)) cy=(pixel(y)) r="4" {
                    title {
                        (point.allocator) ": time " (multiple(point.time)) ", " (short(point.cost))
                    }
                }
            }
        }
    }
}

/// A pixel with one decimal.
fn pixel(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// The median of the times.
fn median(points: &[Point]) -> f64 {
    let mut times: Vec<f64> = points.iter().map(|point| point.time).collect();
    times.sort_unstable_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(1.0)
}

/// The heights of labels from left to right ends at a height: as near as they can be to it within a
/// range, none on top of another.
fn spread(labels: &[(f64, f64, f64)], (top, bottom): (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by(|one, other| labels[*one].2.total_cmp(&labels[*other].2));
    let mut placed: Vec<(f64, f64, f64)> = Vec::new();
    let mut heights = vec![0.0; labels.len()];
    for place in order {
        let (left, right, y) = labels[place];
        let is_free = |height: &f64| {
            let clashes = |other: &(f64, f64, f64)| {
                left < other.1 && other.0 < right && (height - other.2).abs() < LETTER.1
            };
            (top..=bottom).contains(height) && !placed.iter().any(clashes)
        };
        let steps = (0..400).flat_map(|step| [f64::from(step), -f64::from(step)]);
        let height = steps.map(|step| y + step).find(is_free).unwrap_or(y);
        placed.push((left, right, height));
        heights[place] = height;
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(allocator: &str, cost: f64, time: f64, frees: bool) -> Point<'_> {
        Point {
            allocator,
            cost,
            time,
            frees,
        }
    }

    #[test]
    fn the_front_has_what_no_other_beats() {
        let points = [
            point("slow and small", 1.0, 9.0, true),
            point("fast and large", 8.0, 2.0, true),
            point("beaten", 8.5, 3.0, true),
            point("between", 4.0, 5.0, true),
            point("equal and slower", 4.0, 6.0, true),
            point("cannot free", 0.5, 0.5, false),
        ];
        let names: Vec<&str> = front(&points).iter().map(|point| point.allocator).collect();
        assert_eq!(names, ["slow and small", "between", "fast and large"]);
    }

    #[test]
    fn labels_do_not_meet() {
        let heights = spread(&[(10.0, 60.0, 50.0); 5], (0.0, 100.0));
        for (place, one) in heights.iter().enumerate() {
            let others = heights[place + 1..].iter();
            assert!(
                others.clone().all(|other| (one - other).abs() >= 12.0),
                "{heights:?}"
            );
        }
        let apart = [(0.0, 50.0, 5.0), (51.0, 90.0, 5.0)];
        assert_eq!(spread(&apart, (0.0, 9.0)), [5.0, 5.0]);
    }
}
