//! `heapwood render`: what a picture shows, and options that have no effect.

use std::fs;

use crate::program::{Folder, png_size, rows};

const SMALL: &str = "--size 64x48 --backend cpu";

#[test]
fn every_shade_makes_a_picture_of_its_own() {
    let folder = Folder::new();
    folder.scene("knot");
    let mut pictures = Vec::new();
    let shades = [
        "eyelight",
        "normal",
        "primitive",
        "depth",
        "ao",
        "path",
        "cost",
    ];
    for shade in shades {
        let command = format!("render @knot.obj -o @{shade}.png --shade {shade} {SMALL}");
        let report = folder.json(format!("{command} --format json"));
        assert_eq!(report["shade"], shade);
        assert_eq!(report["meta"]["seed"], 0);
        let rays = |kind: &str| report["rays"][kind].as_u64().unwrap();
        assert_eq!(rays("primary"), 64 * 48);
        assert_eq!(rays("secondary") > 0, shade == "path", "{report}");
        // Nothing in the knot emits light.
        assert_eq!(rays("shadow") > 0, shade == "ao", "{report}");
        let path = folder.path(&format!("{shade}.png"));
        assert_eq!(png_size(&path), (64, 48));
        pictures.push(fs::read(path).unwrap());
    }
    pictures.sort();
    pictures.dedup();
    assert_eq!(pictures.len(), shades.len());
}

#[test]
fn a_picture_can_be_repeated_from_its_result() {
    let folder = Folder::new();
    folder.scene("courtyard");
    let render = |name: &str, options: &str| {
        let command =
            format!("render @courtyard.obj -o @{name}.png {SMALL} {options} --format json");
        let report = folder.json(&command);
        (
            fs::read(folder.path(&format!("{name}.png"))).unwrap(),
            report,
        )
    };
    for (shade, given, expected) in [
        ("ao", "", &["ao_samples", "ao_distance"][..]),
        (
            "ao",
            "--spp 3 --ao-samples 5 --ao-distance 0.1 --crop 9,8,20,10",
            &["ao_samples", "ao_distance", "crop"],
        ),
        ("path", "", &["bounces"]),
        ("path", "--spp 2 --bounces 1", &["bounces"]),
        ("path", "--light-scale 2.5", &["bounces", "light_scale"]),
        ("cost", "--cost-max 40", &["cost_max"]),
        ("cost", "--spp 2", &[]),
        ("normal", "--crop 9,8,20,10", &["crop"]),
    ] {
        let (picture, report) = render("first", &format!("--shade {shade} {given}"));
        let mut options = format!("--shade {shade} --spp {}", report["samples"]);
        for key in [
            "bounces",
            "light_scale",
            "ao_samples",
            "ao_distance",
            "cost_max",
            "crop",
        ] {
            let value = &report[key];
            assert_eq!(!value.is_null(), expected.contains(&key), "{key}: {report}");
            if !value.is_null() {
                let option = key.replace('_', "-");
                options += &format!(" --{option} {}", value.to_string().replace(['[', ']'], ""));
            }
        }
        assert_eq!(render("again", &options).0, picture, "{options}");
    }
    // An option that is not given has its default.
    let (_, report) = render("first", "--shade path");
    assert_eq!(report["bounces"], 8);
}

#[test]
fn seeds_and_windows_have_an_effect() {
    let folder = Folder::new();
    folder.scene("knot");
    let render = |name: &str, options: &str| {
        let command = format!("render @knot.obj -o @{name}.png {SMALL} {options}");
        let outcome = folder.run(&command).succeeds();
        let path = folder.path(&format!("{name}.png"));
        (png_size(&path), fs::read(path).unwrap(), outcome.stdout)
    };
    let (_, one, text) = render("one", "--shade ao --ao-samples 4 --spp 2");
    assert!(text.contains("shadow"), "{text}");
    assert_eq!(
        one,
        render("same", "--shade ao --ao-samples 4 --spp 2 --seed 0").1
    );
    assert_ne!(
        one,
        render("other", "--shade ao --ao-samples 4 --spp 2 --seed 1").1
    );
    assert_ne!(
        one,
        render(
            "near",
            "--shade ao --ao-samples 4 --spp 2 --ao-distance 0.01"
        )
        .1
    );
    let path = "--shade path --spp 2 --bounces 2 --sky 0.5";
    let (_, lit, _) = render("lit", path);
    assert_eq!(lit, render("lit2", &format!("{path}:0.5,0.5,0.5")).1);
    assert_ne!(lit, render("lit3", &format!("{path} --seed 7")).1);
    assert_ne!(
        lit,
        render("lit4", "--shade path --spp 2 --bounces 1 --sky 0.5").1
    );
    assert_eq!(render("part", "--crop 10,20,30,8").0, (30, 8));
    assert_ne!(
        render("most", "--shade cost --cost-max 1000").1,
        render("usual", "--shade cost").1
    );
}

#[test]
fn raw_values_go_to_exr_files() {
    let folder = Folder::new();
    folder.scene("knot");
    for (shade, names) in [
        ("path", &["R", "albedo.R", "normal.X", "depth.Z"][..]),
        ("depth", &["Z"]),
        ("cost", &["nodes", "triangles"]),
        ("ao", &["Y"]),
    ] {
        let command = format!("render @knot.obj -o @{shade}.exr --shade {shade} {SMALL}");
        folder.run(&command).succeeds();
        let file = fs::read(folder.path(&format!("{shade}.exr"))).unwrap();
        assert_eq!(file[..4], [0x76, 0x2f, 0x31, 0x01]);
        for name in names {
            let entry = [name.as_bytes(), b"\0"].concat();
            assert!(
                file.windows(entry.len()).any(|part| part == entry),
                "{name}"
            );
        }
    }
}

#[test]
fn normals_make_surfaces_smooth_unless_they_are_left_out() {
    let folder = Folder::new();
    let corners = "v -1 -1 0\nv 1 -1 0\nv 0 1 0\n";
    let smooth = "vn -3 0 4\nvn 3 0 4\nvn 0 3 4\nf 1//1 2//2 3//3\n";
    folder.put("smooth.obj", format!("{corners}{smooth}"));
    folder.put("plain.obj", format!("{corners}f 1 2 3\n"));
    let render = |scene: &str, options: &str| {
        let options = format!("{options} {SMALL} --format json");
        let outcome = folder.run(format!("render @{scene}.obj {options}"));
        assert_eq!((outcome.code, &outcome.stderr[..]), (0, ""), "{outcome:?}");
        let is_flat = scene == "smooth" && options.contains("--flat");
        let expected = is_flat.then_some(true);
        assert_eq!(outcome.json()["flat"].as_bool(), expected, "{outcome:?}");
        fs::read(folder.path("x.exr")).unwrap()
    };
    let path = "-o @x.exr --shade path --spp 4";
    let plain = render("plain", path);
    // With the layers of normals.
    assert_ne!(render("smooth", path), plain);
    assert_eq!(render("smooth", &format!("{path} --flat")), plain);
    // An option without effect on a file is no error: one command may render many files.
    assert_eq!(render("plain", &format!("{path} --flat")), plain);
    for shade in ["normal", "eyelight", "ao"] {
        let options = format!("-o @x.exr --shade {shade}");
        assert_eq!(
            render("smooth", &options),
            render("plain", &options),
            "{shade}"
        );
    }
}

#[test]
fn rays_are_timed_apart_on_request() {
    let folder = Folder::new();
    folder.scene("courtyard");
    let times = |options: &str| {
        let command = format!("render @courtyard.obj -o @x.png {SMALL} {options} --format json");
        folder.json(&command)["ray_ms"].clone()
    };
    assert!(times("--shade path").is_null());
    let path = times("--shade path --ray-times");
    // Differences of two runs' times, 0 if the one with fewer rays happened to take longer.
    for kind in ["primary", "shadow", "secondary"] {
        assert!(path[kind].as_f64().unwrap() >= 0.0, "{path}");
    }
    let ambient = times("--shade ao --ray-times");
    assert!(ambient["primary"].as_f64().unwrap() > 0.0, "{ambient}");
    assert_eq!(ambient["secondary"], 0.0);
    let text = folder.run(format!(
        "render @courtyard.obj -o @x.png {SMALL} --shade path --ray-times"
    ));
    assert_eq!(text.stdout.lines().count(), 4, "{text:?}");
}

#[test]
fn what_has_no_effect_or_is_no_window_is_refused() {
    let folder = Folder::new();
    folder.scene("knot");
    for [options, what] in rows(
        "--ao-samples 4 | --ao-samples has no effect on --shade eyelight
         --shade cost --ao-distance 4 | --ao-distance has no effect on --shade cost
         --shade ao --cost-max 4 | --cost-max has no effect on --shade ao
         --bounces 4 | --bounces has no effect on --shade eyelight
         --shade ao --sky 1 | --sky has no effect on --shade ao
         --flat | --flat has no effect on --shade eyelight
         --shade normal --flat | --flat has no effect on --shade normal
         --shade depth --spp 4 | --spp has no effect on --shade depth
         --shade ao --spp 65536 --ao-samples 65536 | 2^32
         --crop 60,0,5,5 | --crop is not within the picture",
    ) {
        folder
            .run(format!("render @knot.obj -o @x.png {SMALL} {options}"))
            .fails(2, what);
    }
    for options in [
        "--crop 1,2,3",
        "--crop 1,2,0,4",
        "--crop a,b,c,d",
        "--spp 0",
        "--ao-distance -1",
        "--ao-distance inf",
        "--shade fog",
        "--shade path --sky 1,2",
        "--shade path --sky -1",
        "--shade path --sky nan",
        "--shade path --bounces 1001",
    ] {
        let outcome = folder.run(format!("render @knot.obj -o @x.png {SMALL} {options}"));
        assert_eq!(outcome.code, 2, "{outcome:?}");
    }
    assert_eq!(folder.names(), "knot.mtl knot.obj");
}

#[test]
fn textures_are_shown_and_missing_ones_named() {
    let folder = Folder::new();
    folder.put(
        "wall.obj",
        "mtllib wall.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n\
         usemtl wall\nf 1/1 2/2 3/3 4/4\n",
    );
    folder.put(
        "wall.mtl",
        "newmtl wall\nKd 0.5 0.5 0.5\nmap_Kd picture.png\n",
    );
    let render = |name: &str, scene: &str| {
        let command = format!("render @{scene} -o @{name}.png --shade path {SMALL}");
        let outcome = folder.run(&command).succeeds();
        (
            fs::read(folder.path(&format!("{name}.png"))).unwrap(),
            outcome.stderr,
        )
    };
    let (plain, warning) = render("plain", "wall.obj");
    let told = "wall.mtl:3: the texture is not used: picture.png: ";
    assert!(warning.contains(told), "{warning}");
    // Any picture will do: that of the wall without it.
    fs::copy(folder.path("plain.png"), folder.path("picture.png")).unwrap();
    let (with_picture, warning) = render("with", "wall.obj");
    assert!(!warning.contains("texture"), "{warning}");
    assert_ne!(plain, with_picture);
}
