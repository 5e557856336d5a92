//! A page in a headless browser, at two widths. Without a browser the test does nothing, unless
//! `HEAPWOOD_BROWSER` names one: `.ci/run` does.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use heapwood_page::{Collection, html};

/// Run in the page, in front of its own scripts.
const CHECKS: &str = include_str!("checks.js");
/// Widths of windows: a phone and a desktop.
const WIDTHS: [u32; 2] = [400, 1280];
/// Chromium's windows are 500 pixels wide at least: the page is in a frame.
const FRAME: &str = r#"<!doctype html><body style="margin:0">
<script>
addEventListener("message", (event) => {
  const list = document.createElement("pre");
  list.id = "faults";
  list.textContent = ["checked", ...event.data].join("\n");
  document.body.prepend(list);
});
</script>
<iframe src="page.html" style="width:WIDTHpx;height:900px;border:0"></iframe>"#;

/// The browser, if there is one.
fn browser() -> Option<OsString> {
    let named = std::env::var_os("HEAPWOOD_BROWSER");
    let found = || {
        let folders = std::env::var_os("PATH")?;
        let mut folders = std::env::split_paths(&folders);
        folders.find(|folder| folder.join("chromium").is_file())?;
        Some(OsString::from("chromium"))
    };
    named.or_else(found)
}

/// The results of every command, failures and a picture among them.
fn page() -> String {
    let mut collection = Collection::default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../results/tests/reports");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        // Some measure no allocator, which tests of pages list.
        let _ = collection.add(&path.display().to_string(), &fs::read(&path).unwrap());
    }
    let picture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/images/courtyard-sun.png");
    collection
        .add("courtyard-sun.png", &fs::read(picture).unwrap())
        .unwrap();
    html(&collection, &[])
}

/// The output of a browser for a file with these options.
fn browse(browser: &OsString, file: &Path, options: &[String]) -> String {
    let output = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
        ])
        .arg(format!(
            "--user-data-dir={}",
            file.parent().unwrap().join("profile").display()
        ))
        // Scripts run until nothing is left to do, by a clock of their own.
        .arg("--virtual-time-budget=60000")
        .args(options)
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap_or_else(|error| panic!("{browser:?}: {error}"));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_page_has_no_fault_in_a_browser() {
    let Some(browser) = browser() else {
        eprintln!("no chromium here: the page was not looked at");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let checked = page().replacen("<head>", &format!("<head><script>{CHECKS}</script>"), 1);
    fs::write(folder.path().join("page.html"), checked).unwrap();
    for width in WIDTHS {
        let frame = folder.path().join(format!("frame-{width}.html"));
        fs::write(&frame, FRAME.replace("WIDTH", &width.to_string())).unwrap();
        let size = format!("--window-size={},960", width.max(500));
        let shown = browse(&browser, &frame, &["--dump-dom".to_owned(), size.clone()]);
        let faults = shown
            .split_once("<pre id=\"faults\">")
            .map(|(_, rest)| rest);
        let faults = faults
            .and_then(|rest| rest.split_once("</pre>"))
            .map(|(list, _)| list);
        assert_eq!(faults, Some("checked"), "at {width} pixels");
        let picture = folder.path().join(format!("{width}.png"));
        browse(
            &browser,
            &frame,
            &[format!("--screenshot={}", picture.display()), size],
        );
        // A page without text or colours is smaller.
        let bytes = fs::metadata(&picture).unwrap().len();
        assert!(bytes > 20_000, "{bytes} bytes at {width} pixels");
    }
}
