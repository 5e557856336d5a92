//! Curves: the median of each allocator over sizes or numbers.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, PreEscaped, html};

use super::View;
use super::axis::{Axis, short};
use crate::collection::place;
use crate::command::CommandLines;
use crate::{Case, Section, Unit};

/// The size of a chart, and its margins: left, top, right, bottom.
const SIZE: (f64, f64) = (480.0, 300.0);
const MARGINS: [f64; 4] = [52.0, 34.0, 24.0, 40.0];
/// The largest value on an axis, as a multiple of the best at any place: lines may leave the chart.
const MAX_RATIO: f64 = 20.0;
/// The letters of names for which there is room above a chart.
const MAX_LETTERS: usize = 48;
/// The fewest points of an axis.
const MIN_POINTS: usize = 3;

/// Points of an allocator: places on the axis, medians.
type Points = Vec<(f64, f64)>;

/// A chart before it is drawn.
struct Chart<'c> {
    title: String,
    axis: &'c str,
    unit: Unit,
    lines: BTreeMap<&'c str, Points>,
    /// The places of its commands.
    commands: BTreeSet<usize>,
}

/// The charts of a section: one for each set of cases that differ in a number alone. Their commands
/// are parts of `lines`.
pub fn curves(view: &View, section: Section, cases: &[Case], lines: &CommandLines) -> Vec<Markup> {
    let mut charts: Vec<Chart> = Vec::new();
    for case in cases {
        for (allocator, measured) in &case.cells {
            let Some(median) = measured.median().filter(|median| *median > 0.0) else {
                continue;
            };
            for scale in &measured.scales {
                let title = scale.curve.clone() + case.place();
                let found = charts.iter_mut().find(|chart| {
                    chart.title == title && chart.axis == scale.axis && chart.unit == case.unit
                });
                let chart = match found {
                    Some(chart) => chart,
                    None => {
                        charts.push(Chart {
                            title,
                            axis: &scale.axis,
                            unit: case.unit,
                            lines: BTreeMap::new(),
                            commands: BTreeSet::new(),
                        });
                        charts.last_mut().expect("one was pushed")
                    }
                };
                chart.commands.insert(measured.command);
                chart
                    .lines
                    .entry(allocator)
                    .or_default()
                    .push((scale.value, median));
            }
        }
    }
    let mut frames = Vec::new();
    let draw = |chart: Chart| {
        let commands = chart.commands.iter();
        let commands = commands.filter_map(|place| view.collection.commands.get(*place));
        let parts = lines.parts(&CommandLines::of(commands));
        let picture = draw(view, section, chart, &mut frames)?;
        Some(html! { figure { (picture) (references(section, &parts)) } })
    };
    charts.into_iter().filter_map(draw).collect()
}

/// The numbers of commands in the section's list, and the lists that are shorter than there.
fn references(section: Section, parts: &[(usize, String)]) -> Markup {
    html! {
        details.command {
            summary { "Command" }
            @for (line, lists) in parts {
                p {
                    a href={ "#" (section.id()) "-" (line + 1) } { "Command " (line + 1) }
                    @if !lists.is_empty() { " with " code { (lists) } }
                }
            }
        }
    }
}

/// A chart; nothing if its axis has too few points. `frames` are the frames of the charts before.
fn draw(
    view: &View,
    section: Section,
    mut chart: Chart,
    frames: &mut Vec<String>,
) -> Option<Markup> {
    let mut places: Vec<f64> = chart
        .lines
        .values()
        .flatten()
        .map(|point| point.0)
        .collect();
    places.sort_unstable_by(f64::total_cmp);
    places.dedup();
    if places.len() < MIN_POINTS {
        return None;
    }
    let (width, height) = SIZE;
    let [left, top, right, bottom] = MARGINS;
    let (right, bottom) = (width - right, height - bottom);
    let x = Axis::of(places.iter().copied(), left, right)?;
    let medians = chart.lines.values().flatten().map(|point| point.1);
    let best = |place: &f64| {
        let here = chart
            .lines
            .values()
            .flatten()
            .filter(|point| point.0 == *place);
        here.map(|point| point.1).fold(f64::INFINITY, f64::min)
    };
    let most = places.iter().map(best).fold(0.0, f64::max);
    let y = Axis::of(medians, bottom, top)?.up_to(MAX_RATIO * most);
    for points in chart.lines.values_mut() {
        points.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    }
    let shown = chart.lines.iter();
    let (beyond, shown): (Vec<_>, Vec<_>) =
        shown.partition(|(_, points)| points.last().is_some_and(|point| y.is_beyond(point.1)));
    let beyond: Vec<&str> = beyond
        .into_iter()
        .map(|(allocator, _)| *allocator)
        .collect();
    let all = beyond.join(", ");
    let beyond_text = match all.len() <= MAX_LETTERS {
        true => all,
        false => format!("{} allocators", beyond.len()),
    };
    let [slowest, fastest] = ends(&shown);
    let end = |end: Option<(&str, f64)>| end.map_or("-".to_owned(), |(name, _)| name.to_owned());
    let label = format!(
        "{} by {}: {} at the top, {} at the bottom",
        chart.title,
        chart.axis,
        end(slowest),
        end(fastest)
    );
    let margins = [left, top, right, bottom];
    let frame = html! {
        g.grid { (columns(&x, &places, margins)) }
        text.middle x=((left + right) / 2.0) y=(height - 6.0) { (chart.axis) }
        text x="4" y=(top - 4.0) { (chart.unit.symbol()) }
    };
    let frame = frame.into_string();
    let has_frame = frames.contains(&frame);
    let frame_id = place(frames, frame.clone());
    let frame_id = format!("f{}-{frame_id}", section as usize);
    Some(html! {
        svg.chart viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(label) {
            text.title x="4" y="14" { (chart.title) }
            @if has_frame { use href={ "#" (frame_id) } {} }
            @else { g.frame id=(frame_id) { (PreEscaped(frame)) } }
            g.grid { (rows(&y, margins)) }
            @if !beyond.is_empty() {
                text.end x=(right) y=(top - 4.0) {
                    "above: " (beyond_text)
                    title { (beyond.join(", ")) }
                }
            }
            // An inner picture ends lines that leave it.
            svg.lines y=(top) height=(bottom - top + 1.0) {
                @for (allocator, points) in &chart.lines {
                    (line(view, allocator, points, &x, &y, top))
                }
            }
            @for (allocator, value) in [slowest, fastest].into_iter().flatten() {
                text.end x=(right) y=((y.at(value) - 4.0).round()) { (allocator) }
            }
        }
    })
}

/// The allocators whose lines end at the top and at the bottom, if these differ, and where.
fn ends<'c>(lines: &[(&&'c str, &Points)]) -> [Option<(&'c str, f64)>; 2] {
    let all = lines
        .iter()
        .filter_map(|(name, points)| Some((**name, *points.last()?)));
    let reach = all.clone().map(|(_, point)| point.0).fold(0.0, f64::max);
    let whole = all.filter(|(_, point)| point.0 == reach);
    let whole = whole.map(|(name, point)| (name, point.1));
    let by_value = |one: &(&str, f64), other: &(&str, f64)| one.1.total_cmp(&other.1);
    let top = whole.clone().max_by(by_value);
    let low = whole.min_by(by_value);
    [top, low.filter(|low| top.is_some_and(|top| top.0 != low.0))]
}

/// CommandLines and numbers of a horizontal axis at `places`, within `[left, top, right, bottom]`.
pub fn columns(x: &Axis, places: &[f64], [_, top, _, bottom]: [f64; 4]) -> Markup {
    let ticks = x.apart(places.iter().copied(), 44.0);
    let ticks = ticks.into_iter().map(|tick| (x.at(tick), short(tick)));
    let (mut path, mut texts) = (String::new(), String::new());
    for (x, text) in ticks {
        path += &format!("M{x:.0} {top}V{bottom}");
        texts += &format!("<text x={x:.0}>{text}</text>");
    }
    let down = bottom + 15.0;
    PreEscaped(format!(
        r#"<path d="{path}"/><g class=middle transform="translate(0 {down})">{texts}</g>"#
    ))
}

/// Those of a vertical axis.
pub fn rows(y: &Axis, [left, _, right, _]: [f64; 4]) -> Markup {
    let ticks = y.ticks(22.0).into_iter();
    let ticks = ticks.map(|tick| (y.at(tick), short(tick)));
    let (mut path, mut texts) = (String::new(), String::new());
    for (y, text) in ticks {
        path += &format!("M{left} {y:.0}H{right}");
        texts += &format!("<text y={y:.0}>{text}</text>");
    }
    let end = left - 5.0;
    PreEscaped(format!(
        r#"<path d="{path}"/><g class=end transform="translate({end} 4)">{texts}</g>"#
    ))
}

/// A line in a picture that begins at `top`.
fn line(view: &View, allocator: &str, points: &Points, x: &Axis, y: &Axis, top: f64) -> Markup {
    let at = |(at, value): &(f64, f64)| (x.at(*at).round(), y.at(*value).round() - top);
    let mut pixels = points.iter().map(at);
    let (mut x, mut y) = pixels.next().unwrap_or_default();
    let mut path = format!("M{x},{y}l");
    for (next_x, next_y) in pixels {
        path += &format!("{},{},", next_x - x, next_y - y);
        (x, y) = (next_x, next_y);
    }
    // There are thousands of lines: a sign divides numbers, and a path of commas needs no quotes.
    let path = path.replace(",-", "-");
    let path = path.trim_end_matches([',', 'l']);
    PreEscaped(format!(
        "<path class=r{} d={path} />",
        view.number(allocator)
    ))
}
