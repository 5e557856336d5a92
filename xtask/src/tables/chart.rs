//! The chart of the README: what every allocator takes in a microbenchmark beside what it
//! takes in real work, as multiples of the lower bound, in an SVG.
//!
//! Each kind of work has a panel of its own with the same logarithmic axis, so that marks
//! and figures never meet, and a row is one allocator. GitHub shows the picture on light
//! and on dark pages: the colours follow the page, and so does the background, which is
//! painted in either case.

use super::freeing::{can_free, shown};
use super::outcome::{LOWER_BOUND, Outcome};
use super::results::Results;
use super::work::{Times, Work};
use super::{distinct, milliseconds};
use crate::Result;

/// The file, from the root of the repository.
pub const PATH: &str = "docs/images/allocators.svg";
/// Its scene and its graph.
const SCENE: &str = "bunny_69k";
const GRAPH: &str = "delaunay_n20";

const TITLE: &str = "Allocators in a microbenchmark and in real work";
const SUBTITLE: &str =
    "Time as a multiple of the lower bound: AtomicMalloc adds to one counter and cannot free.";
const AXIS_TITLE: &str = "time / time of AtomicMalloc (ratio, logarithmic)";
const NOTES: [&str; 2] = [
    "Hollow: lower bounds, whose blocks are not used again, or overwritten. Arrows: beyond the axis.",
    "Graph update: the slowest of inserting and deleting, uniform or from 1000 vertices.",
];

/// The picture is as wide as a README is on GitHub, so that its text has the size given.
const WIDTH: f64 = 860.0;
/// Where the names of allocators end, and where the first panel begins.
const NAMES: f64 = 202.0;
const FIRST_PANEL: f64 = 222.0;
/// From one panel to the next.
const PITCH: f64 = 214.0;
/// The length of a panel's axis. The rest of the pitch holds the figure of the longest row.
const AXIS: f64 = 146.0;
/// The largest ratio on the axis. Larger ratios are arrows at its end.
const MAX_RATIO: f64 = 20.0;
/// The middle of the first row, the height of a row, and the gap between two families.
const FIRST_ROW: f64 = 166.0;
const ROW: f64 = 26.0;
const FAMILY_GAP: f64 = 10.0;

/// Blue and vermilion of Okabe and Ito, which the colour-blind tell apart; the vermilion is
/// darker on white for the sake of text, and on dark pages both give way to the brighter
/// sky blue and orange of the same palette.
const STYLE: &str = "\
text { font-family: -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Helvetica, Arial, sans-serif; font-size: 13px; fill: #1f2328 }
.title { font-size: 18px; font-weight: 600 }
.head { font-size: 15px; font-weight: 600 }
.kind { font-weight: 600 }
.note { font-size: 12.5px; fill: #59636e }
.end { text-anchor: end }
.middle { text-anchor: middle }
.card { fill: #ffffff; stroke: #d1d9e0 }
.band { fill: #f6f8fa }
.grid { stroke: #e2e7ec }
.floor { stroke: #59636e; stroke-width: 1.5 }
.loop { fill: #0072b2; stroke: #0072b2 }
.work { fill: #c04f00; stroke: #c04f00 }
text.kind { stroke: none }
.stem { stroke-width: 4 }
.mark { stroke-width: 2 }
.hollow { fill: #ffffff }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
.note { fill: #9198a1 }
.card { fill: #0d1117; stroke: #3d444d }
.band { fill: #151b23 }
.grid { stroke: #2b323b }
.floor { stroke: #9198a1 }
.loop { fill: #56b4e9; stroke: #56b4e9 }
.work { fill: #e69f00; stroke: #e69f00 }
.hollow { fill: #0d1117 }
}
";

/// One kind of work.
struct Panel {
    /// The class of its colour.
    class: &'static str,
    /// Of what kind it is, and what is done.
    heads: [&'static str; 2],
    /// How much of it.
    note: String,
    time: fn(&Times) -> Outcome,
    /// The lower bound, which is 1 on the axis.
    bound: Option<f64>,
}

impl Panel {
    /// The time of an allocator, as a multiple of the lower bound.
    fn ratio(&self, times: &Times) -> Outcome {
        let time = (self.time)(times)?;
        Ok(time / self.bound.ok_or("-".to_owned())?)
    }
}

/// The logarithmic axis that all panels have.
struct Axis {
    least: f64,
    most: f64,
}

impl Axis {
    /// From the lower bound, or from below if anything is, to the largest ratio within a limit.
    fn of(panels: &[Panel], times: &[Times]) -> Self {
        let all = panels.iter().flat_map(|panel| {
            let ratios = times.iter().map(|times| panel.ratio(times));
            ratios.filter_map(std::result::Result::ok)
        });
        let (least, most) = all.fold((1.0_f64, 10.0_f64), |(least, most), ratio| {
            (least.min(ratio), most.max(ratio.min(MAX_RATIO)))
        });
        Self { least, most }
    }

    /// Pixels from the beginning of the panel.
    fn at(&self, ratio: f64) -> f64 {
        AXIS * (ratio / self.least).log10() / (self.most / self.least).log10()
    }

    /// The powers of ten from 1 on.
    fn ticks(&self) -> impl Iterator<Item = f64> {
        let ticks = (0..).map(|power| 10_f64.powi(power));
        ticks.take_while(|tick| *tick <= self.most)
    }
}

/// The picture.
pub fn svg(results: &Results) -> Result<String> {
    let work = Work::of(results, SCENE, GRAPH)?;
    let panels = panels(&work.times);
    let axis = Axis::of(&panels, &work.times);
    let rows = rows(&work.times);
    let bottom = rows.last().map_or(FIRST_ROW, |(y, _)| y + ROW / 2.0 + 2.0);
    let mut picture = Picture::default();
    picture.text((20.0, 35.0), "title", TITLE);
    picture.text((20.0, 58.0), "note", SUBTITLE);
    for (y, _) in rows.iter().step_by(2) {
        let (top, width) = (y - ROW / 2.0, WIDTH - 24.0);
        picture.shape(&format!(
            r#"rect class="band" x="12" y="{top:.1}" width="{width:.1}" height="{ROW:.1}""#
        ));
    }
    for (y, times) in &rows {
        let is_bound = !can_free(times.allocator);
        let class = if is_bound { "end note" } else { "end" };
        picture.text((NAMES, y + 4.5), class, &shown(times.allocator));
    }
    let mut left = FIRST_PANEL;
    for panel in &panels {
        picture.panel(panel, &axis, &rows, left, bottom);
        left += PITCH;
    }
    let middle = FIRST_PANEL + PITCH + AXIS / 2.0;
    picture.text((middle, bottom + 42.0), "middle", AXIS_TITLE);
    let [first, last] = [bottom + 71.0, bottom + 90.0];
    picture.text((20.0, first), "note", NOTES[0]);
    picture.text((20.0, last), "note", NOTES[1]);
    let gpus = work.metas.iter().filter_map(|meta| meta.gpu.as_deref());
    let gpus = distinct(gpus).join(", ");
    picture.text((WIDTH - 20.0, last), "end note", &gpus);
    Ok(picture.finish(last + 18.0))
}

/// The kinds of work, from left to right.
fn panels(times: &[Times]) -> [Panel; 3] {
    let bound = times.iter().find(|times| times.allocator == LOWER_BOUND);
    let panel = |class, heads, note, time: fn(&Times) -> Outcome| Panel {
        class,
        heads,
        note,
        time,
        bound: bound.and_then(|times| time(times).ok()),
    };
    [
        panel(
            "loop",
            ["Microbenchmark", "malloc"],
            "100,000 × 1 KiB, warm heap".to_owned(),
            |times| times.malloc.clone(),
        ),
        panel(
            "work",
            ["Real work", "k-d tree"],
            format!("build of {SCENE}"),
            |times| times.tree.clone(),
        ),
        panel(
            "work",
            ["Real work", "graph update"],
            format!("10⁶ edges, {GRAPH}"),
            |times| times.batch.clone(),
        ),
    ]
}

/// Allocators with the middles of their rows.
fn rows<'t>(times: &'t [Times]) -> Vec<(f64, &'t Times<'t>)> {
    let family = |times: &Times| {
        let name = times.allocator.rsplit_once('-');
        let name = name.map(|(family, _)| family.to_owned());
        (can_free(times.allocator), name)
    };
    let mut y = FIRST_ROW;
    let mut rows: Vec<(f64, &Times)> = Vec::new();
    for times in times {
        if let Some((last, above)) = rows.last() {
            let gap = family(above) != family(times);
            y = last + ROW + if gap { FAMILY_GAP } else { 0.0 };
        }
        rows.push((y, times));
    }
    rows
}

/// The SVG elements drawn so far.
#[derive(Default)]
struct Picture {
    elements: String,
}

impl Picture {
    /// An element without contents, by its name and attributes.
    fn shape(&mut self, tag: &str) {
        self.elements.push_str(&format!("<{tag}/>\n"));
    }

    fn text(&mut self, (x, y): (f64, f64), class: &str, text: &str) {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        self.elements.push_str(&format!(
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>\n"
        ));
    }

    fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        self.shape(&format!(
            r#"line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}""#
        ));
    }

    fn panel(&mut self, panel: &Panel, axis: &Axis, rows: &[(f64, &Times)], left: f64, end: f64) {
        let class = panel.class;
        let [kind, what] = panel.heads;
        self.text((left, 90.0), &format!("kind {class}"), kind);
        self.text((left, 109.0), "head", what);
        self.text((left, 127.0), "note", &panel.note);
        let bound = panel.bound.map_or("-".to_owned(), milliseconds);
        self.text((left, 144.0), "note", &format!("1× = {bound} ms"));
        let top = FIRST_ROW - ROW / 2.0 - 2.0;
        for tick in axis.ticks() {
            let x = left + axis.at(tick);
            let grid = if tick == 1.0 { "floor" } else { "grid" };
            self.line(grid, (x, top), (x, end));
            self.text((x, end + 18.0), "note middle", &format!("{tick}×"));
        }
        for (y, times) in rows {
            let floor = left + axis.at(1.0);
            let ratio = match panel.ratio(times) {
                Ok(ratio) => ratio,
                Err(instead) => {
                    self.text((floor + 11.0, y + 4.5), "note", &instead);
                    continue;
                }
            };
            let is_beyond = ratio > axis.most;
            let x = left + axis.at(ratio.min(axis.most));
            self.line(&format!("stem {class}"), (floor, *y), (x, *y));
            let is_bound = !can_free(times.allocator);
            let hollow = if is_bound { " hollow" } else { "" };
            let (back, above, below) = (x - 5.0, y - 7.0, y + 7.0);
            self.shape(&match is_beyond {
                true => format!(
                    r#"path class="mark {class}" d="M{back:.1} {above:.1}L{:.1} {y:.1}L{back:.1} {below:.1}z""#,
                    x + 5.0
                ),
                false => format!(
                    r#"circle class="mark {class}{hollow}" cx="{x:.1}" cy="{y:.1}" r="6""#
                ),
            });
            let label = (x.max(floor) + 11.0, y + 4.5);
            self.text(label, "", &multiple(ratio));
        }
    }

    fn finish(self, height: f64) -> String {
        let (width, inner) = (WIDTH - 1.0, height - 1.0);
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0}" viewBox="0 0 {WIDTH} {height:.0}" role="img">
<title>{TITLE}</title>
<style>
{STYLE}</style>
<rect class="card" x="0.5" y="0.5" width="{width}" height="{inner:.0}" rx="6"/>
{}</svg>
"#,
            self.elements
        )
    }
}

/// A ratio with three significant digits, as times have; of a thousand and more in thousands.
fn multiple(ratio: f64) -> String {
    if ratio >= 999.5 {
        return multiple(ratio / 1000.0).replace('×', "k×");
    }
    let digits = match ratio {
        r if r >= 99.95 => 0,
        r if r >= 9.995 => 1,
        _ => 2,
    };
    format!("{ratio:.digits$}×")
}

#[cfg(test)]
mod tests {
    use super::super::work::tests::results;
    use super::*;

    /// As `results`, of the scene of the chart.
    fn chart(times: &[(&str, f64, f64)]) -> String {
        let mut results = results(times);
        for tree in &mut results.kdtree {
            tree.scene = SCENE.to_owned();
        }
        svg(&results).expect("a chart")
    }

    #[test]
    fn marks_stand_at_multiples_of_the_lower_bound() {
        let text = chart(&[("atomicmalloc", 0.25, 20.0), ("cmalloc", 4.0, 40.0)]);
        assert!(text.contains(">1× = 0.250 ms<"), "{text}");
        assert!(text.contains(">16.0×</text>") && text.contains(">2.00×</text>"));
        // The largest of all is at the end of its axis, the bound at the beginning.
        let end = FIRST_PANEL + AXIS;
        let mark = format!(r#"<circle class="mark loop" cx="{end:.1}""#);
        assert!(text.contains(&mark), "{text}");
        let mark = format!(r#"<circle class="mark loop hollow" cx="{FIRST_PANEL:.1}""#);
        assert!(text.contains(&mark), "{text}");
        assert!(text.contains(">atomicmalloc (cannot free)</text>"));
    }

    #[test]
    fn what_is_beyond_the_axis_is_an_arrow_at_its_end() {
        let text = chart(&[("atomicmalloc", 0.25, 20.0), ("cudamalloc", 2500.0, 40.0)]);
        let tip = format!("L{:.1} ", FIRST_PANEL + AXIS + 5.0);
        let arrow = text.lines().find(|line| line.starts_with("<path"));
        assert!(arrow.is_some_and(|line| line.contains(&tip)), "{text}");
        assert!(text.contains(">10.0k×</text>"), "{text}");
        assert_eq!(text.matches("<circle").count(), 3, "{text}");
    }

    #[test]
    fn what_has_no_time_has_no_mark() {
        let text = chart(&[("atomicmalloc", 0.25, 20.0), ("cmalloc", 4.0, 40.0)]);
        // Neither has a batch of edges.
        assert_eq!(text.matches("<circle").count(), 4, "{text}");
        assert_eq!(text.matches(">-</text>").count(), 2, "{text}");
        let empty = svg(&Results::default()).expect("a chart");
        assert!(!empty.contains("<circle") && !empty.contains("NaN"));
    }

    #[test]
    fn the_same_results_give_the_same_bytes() {
        let times = [("atomicmalloc", 0.25, 20.0), ("awmalloc", 0.2, 21.0)];
        assert_eq!(chart(&times), chart(&times));
    }

    #[test]
    fn a_time_below_the_bound_stays_in_its_panel() {
        let text = chart(&[("atomicmalloc", 0.25, 20.0), ("cmalloc", 0.125, 20.0)]);
        let mark = format!(r#"<circle class="mark loop" cx="{FIRST_PANEL:.1}""#);
        assert!(text.contains(&mark), "{text}");
        assert!(text.contains(">0.50×</text>"), "{text}");
    }

    #[test]
    fn families_are_set_apart() {
        let times = ["atomicmalloc", "cmalloc", "cfmalloc", "ouroboros-p-s"];
        let results = results(&times.map(|name| (name, 1.0, 1.0)));
        let work = Work::of(&results, SCENE, GRAPH).expect("work");
        let middles: Vec<f64> = rows(&work.times).iter().map(|(y, _)| *y).collect();
        let steps: Vec<f64> = middles.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(steps, [ROW + FAMILY_GAP, ROW, ROW + FAMILY_GAP]);
    }

    #[test]
    fn multiples_have_three_digits() {
        let shown = [1.0, 9.996, 23.59, 99.96, 104.2, 999.6, 190_979.0].map(multiple);
        let expected = ["1.00×", "10.0×", "23.6×", "100×", "104×", "1.00k×", "191k×"];
        assert_eq!(shown, expected);
    }
}
