//! `heapwood view`: pictures in terminals, and none where there is no terminal.

use std::process::{Command, Stdio};

use crate::program::{Folder, program};

#[test]
fn a_file_is_no_terminal() {
    let folder = Folder::new();
    folder.scene("knot");
    let outcome = folder.run("view @knot.obj");
    assert!(outcome.error(2).contains("is no terminal"), "{outcome:?}");
    for (protocol, start) in [
        ("blocks", "\x1b[38;"),
        ("kitty", "\x1b_Ga=T,f=100,q=2,c=20,m="),
        ("iterm2", "\x1b]1337;File=inline=1;"),
        ("sixel", "\x1bPq\"1;1;160;160#"),
    ] {
        let command = format!("view @knot.obj --width 20 --height 10 --protocol {protocol}");
        let outcome = folder.run(&command).succeeds();
        assert!(outcome.stdout.starts_with(start), "{outcome:?}");
    }
}

#[test]
fn pictures_that_are_not_shown_and_shades_of_pictures_are_refused() {
    let folder = Folder::new();
    folder.scene("knot");
    for name in ["a.png", "a.exr"] {
        let render = format!("render @knot.obj -o @{name} --size 48x32 --backend cpu");
        folder.run(&render).succeeds();
    }
    let view = |what: &str| folder.run(format!("view --protocol blocks {what}"));
    assert_eq!(view("@a.png").code, 0);
    let outcome = view("@a.png --shade normal");
    assert!(outcome.error(2).contains("--shade has no effect"));
    let outcome = view("@a.exr");
    assert!(outcome.error(3).contains("a.exr: an EXR file: "));
}

/// The output of the program on a terminal with these variables. It needs `script`, which makes
/// terminals.
fn in_terminal(folder: &Folder, environment: &[(&str, &str)]) -> Option<String> {
    let program = program().into_string().expect("a path in UTF-8");
    let scene = folder.path("knot.obj");
    let command = format!(
        "'{program}' view '{}' --width 20 --height 10",
        scene.display()
    );
    let mut script = Command::new("script");
    script
        .args(["-qec", &command, "/dev/null"])
        .stdin(Stdio::null());
    for name in [
        "TERM_PROGRAM",
        "LC_TERMINAL",
        "KITTY_WINDOW_ID",
        "KONSOLE_VERSION",
        "TMUX",
        "STY",
    ] {
        script.env_remove(name);
    }
    let output = script.envs(environment.iter().copied()).output().ok()?;
    Some(String::from_utf8(output.stdout).expect("text"))
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_what_it_can() {
    let folder = Folder::new();
    folder.scene("knot");
    if in_terminal(&folder, &[("TERM", "dumb")]).is_none() {
        println!("skipped: there is no `script`, which makes terminals");
        return;
    }
    for (environment, expected) in [
        (
            &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")][..],
            "\x1b[38;2;",
        ),
        (
            &[("TERM", "xterm-256color"), ("COLORTERM", "")],
            "\x1b[38;5;",
        ),
        (&[("TERM", "xterm-kitty")], "\x1b_Ga=T,f=100,"),
        (
            &[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm")],
            "\x1b]1337;File=",
        ),
        (
            &[("TERM", "xterm-256color"), ("LC_TERMINAL", "iTerm2")],
            "\x1b]1337;File=",
        ),
        (&[("TERM", "foot")], "\x1bPq"),
        (
            &[("TERM", "xterm-kitty"), ("TMUX", "/tmp/tmux-0")],
            "\x1b[38;",
        ),
    ] {
        let found = in_terminal(&folder, environment).expect("`script` runs again");
        assert!(found.contains(expected), "{environment:?}: {found:?}");
        let others = ["\x1b[38;", "\x1b_G", "\x1b]1337;", "\x1bPq"];
        let others = others.iter().filter(|start| !expected.starts_with(**start));
        assert!(
            others.clone().all(|start| !found.contains(start)),
            "{environment:?}"
        );
    }
}
