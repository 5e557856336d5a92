//! Views: cameras in files, which flags override and pictures write.

use crate::program::{Folder, has, png_size, rows};

const SCENE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\nf 1 2 4\n";
const VIEW: &str = "[camera]\neye = [2, 3, 4]\nlook_at = [0.1, 0, 0]\nup = [0, 0, 1]\nfov = 30\n\
    size = [60, 40]\n[[sun]]\ndirection = [1, 1, 0]\nirradiance = [1, 2, 3]\n";

/// Renders the scene, and returns the picture.
fn picture(folder: &Folder, name: &str, options: &str) -> Vec<u8> {
    let command = format!("render @scene.obj -o @{name} --backend cpu {options}");
    folder.run(&command).succeeds_quietly();
    std::fs::read(folder.path(name)).unwrap()
}

#[test]
fn a_view_repeats_a_picture() {
    let folder = Folder::new();
    folder.put("scene.obj", SCENE);
    folder.put("a.toml", VIEW);
    let flags = "--eye 2,3,4 --look-at 0.1,0,0 --up 0,0,1 --fov 30 --size 60x40";
    let expected = picture(&folder, "flags.png", flags);
    assert_eq!(picture(&folder, "view.png", "--view @a.toml"), expected);
    // The view that is written has the lights of the view that was read.
    picture(&folder, "b.png", "--view @a.toml --write-view @b.toml");
    let written = std::fs::read_to_string(folder.path("b.toml")).unwrap();
    assert_eq!(
        written,
        "[camera]\neye = [2.0, 3.0, 4.0]\nlook_at = [0.1, 0.0, 0.0]\nup = [0.0, 0.0, 1.0]\n\
         fov = 30.0\nsize = [60, 40]\n\n[[sun]]\ndirection = [1.0, 1.0, 0.0]\n\
         irradiance = [1.0, 2.0, 3.0]\nangle = 0.0\n"
    );
    assert_eq!(picture(&folder, "c.png", "--view @b.toml"), expected);
    // A camera that frames the scene is written as the one it was, too.
    let framed = picture(&folder, "d.png", "--size 60x40 --write-view @d.toml");
    assert_ne!(framed, expected);
    assert_eq!(picture(&folder, "e.png", "--view @d.toml"), framed);
}

#[test]
fn flags_override_a_view() {
    let folder = Folder::new();
    folder.put("scene.obj", SCENE);
    folder.put("a.toml", VIEW);
    let view = picture(&folder, "a.png", "--view @a.toml");
    assert_ne!(picture(&folder, "b.png", "--view @a.toml --fov 40"), view);
    picture(&folder, "c.png", "--view @a.toml --size 30x20");
    assert_eq!(png_size(&folder.path("c.png")), (30, 20));
    let flags = "--eye 2,3,4 --look-at 0,0,0 --up 0,0,1 --fov 30 --size 60x40";
    assert_eq!(
        picture(&folder, "d.png", "--view @a.toml --look-at 0,0,0"),
        picture(&folder, "e.png", flags)
    );
}

#[test]
fn paths_have_the_lights_of_a_view() {
    let folder = Folder::new();
    folder.put("scene.obj", SCENE);
    let camera = VIEW.split("[[sun]]").next().unwrap();
    let sky = "[sky]\nzenith = [0.5, 0.5, 0.5]\nnadir = [0.25, 0.5, 1]\n";
    let sun = "[[sun]]\ndirection = [0.5, 1, 2]\nirradiance = [1, 2, 3]\nangle = 5\n";
    let point = "[[point]]\nposition = [1, 1, 1]\nintensity = [2, 1, 0.5]\n";
    let spot = "[[spot]]\nposition = [1, 1, 1]\ndirection = [-1, -1, -1]\nintensity = [2, 1, 0.5]\n\
                angle = 60\ninner_angle = 20\n";
    let longer = sun.replace("[0.5, 1, 2]", "[2, 4, 8]");
    for (name, lights) in [
        ("none.toml", &[][..]),
        ("sky.toml", &[sky]),
        ("sun.toml", &[sky, sun]),
        ("longer.toml", &[sky, &longer]),
        ("point.toml", &[sky, point]),
        ("spot.toml", &[sky, spot]),
        ("both.toml", &[sky, sun, point]),
    ] {
        folder.put(name, camera.to_owned() + &lights.concat());
    }
    let path = |view: &str, options: &str| {
        let options = format!("--shade path --spp 4 --view @{view}.toml {options}");
        picture(&folder, "out.png", &options)
    };
    let flag = "--sky 0.5:0.25,0.5,1";
    let sky = path("sky", "");
    assert_eq!(path("none", flag), sky);
    assert_ne!(path("none", ""), sky);
    assert_eq!(path("sky", "--sky 0"), path("none", "--sky 0"));
    let sun = path("sun", "");
    assert_eq!(path("longer", ""), sun);
    let pictures = [
        sky,
        sun,
        path("point", ""),
        path("spot", ""),
        path("both", ""),
    ];
    for (number, one) in pictures.iter().enumerate() {
        assert!(!pictures[number + 1..].contains(one), "{number}");
    }
    // The value of a flag is written, and gives the picture again.
    let dark = path("both", "--sky 0 --write-view @dark.toml");
    assert_ne!(&dark, &pictures[4]);
    assert_eq!(path("dark", ""), dark);
    // Other pictures have no light of their own.
    assert_eq!(
        picture(&folder, "a.png", "--view @both.toml"),
        picture(&folder, "b.png", "--view @none.toml")
    );
}

/// A panorama whose left half, as seen from within, is so bright.
fn sky(left: u8) -> Vec<u8> {
    let mut file = std::io::Cursor::new(Vec::new());
    let texel = |x: u32, _| image::Rgb(if x < 4 { [left; 3] } else { [200; 3] });
    let image = image::RgbImage::from_fn(8, 4, texel);
    image.write_to(&mut file, image::ImageFormat::Png).unwrap();
    file.into_inner()
}

#[test]
fn paths_have_the_environment_of_a_view() {
    let folder = Folder::new();
    folder.put("scene.obj", SCENE);
    std::fs::create_dir(folder.path("skies")).unwrap();
    folder.put("skies/even.png", sky(200));
    folder.put("skies/half.png", sky(0));
    let camera = VIEW.split("[[sun]]").next().unwrap();
    let environment = |lines: &str| format!("{camera}[environment]\nimage = {lines}\n");
    folder.put("plain.toml", camera);
    folder.put("skies/half.toml", environment("\"half.png\""));
    folder.put("turned.toml", environment("\"skies/half.png\"\nturn = 180"));
    let path = |view: &str, options: &str| {
        let options = format!("--shade path --spp 4 --view @{view}.toml {options}");
        picture(&folder, "out.png", &options)
    };
    let half = path("skies/half", "");
    assert_ne!(path("plain", ""), half);
    assert_eq!(path("plain", "--environment @skies/half.png"), half);
    assert_eq!(
        path("skies/half", "--environment-turn 180"),
        path("turned", "")
    );
    assert_ne!(path("turned", ""), half);
    let even = path("skies/half", "--environment @skies/even.png");
    assert_eq!(
        path(
            "plain",
            "--environment @skies/even.png --environment-turn -360"
        ),
        even
    );
    assert_ne!(path("skies/half", "--environment-scale 0.25"), half);
    assert_eq!(path("turned", "--sky 0.5"), path("plain", "--sky 0.5"));
    // The values of flags are written, and found again from another folder.
    let options = "--environment-turn 90 --environment-scale 0.5 --write-view @skies/out.toml";
    let written = path("turned", options);
    assert_eq!(path("skies/out", ""), written);
    // Other pictures do not read it.
    folder.put("gone.toml", environment("\"gone.png\""));
    picture(&folder, "out.png", "--view @gone.toml");
}

#[test]
fn environments_that_cannot_be_used_are_refused_in_a_line() {
    let folder = Folder::new();
    folder.put("scene.obj", SCENE);
    folder.put("sky.png", sky(9));
    folder.put("sky.toml", "[environment]\nimage = \"sky.png\"\n");
    folder.put("gone.toml", "[environment]\nimage = \"gone.hdr\"\n");
    folder.put("text.hdr", "#?RADIANCE\n\n");
    for [options, code, words] in rows(
        "--environment @gone.hdr | 3 | gone.hdr as an environment: No such file
         --environment @text.hdr | 3 | text.hdr as an environment: it is damaged
         --environment @scene.obj | 3 | neither Radiance HDR, OpenEXR, PNG nor JPEG
         --view @gone.toml | 3 | gone.hdr as an environment: No such file
         --environment @sky.png --sky 1 | 2 | cannot be used with
         --environment @sky.png --environment-scale=-1 | 2 | 0 to 1000000
         --environment @sky.png --environment-turn 361 | 2 | -360 to 360
         --environment-scale 2 | 2 | no effect without an environment
         --environment @out.png | 2 | named twice
         --view @sky.toml -o @sky.png | 2 | named twice
         --shade ao --view @sky.toml -o @sky.png | 2 | named twice
         --shade ao --environment @sky.png | 2 | --environment has no effect on --shade ao",
    ) {
        let output = match options.contains("-o") {
            true => "",
            false => "-o @out.png",
        };
        let shade = match options.contains("--shade") {
            true => "",
            false => "--shade path",
        };
        let command = format!("render @scene.obj --backend cpu {output} {shade} {options}");
        folder.run(&command).fails(code.parse().unwrap(), words);
        assert!(!folder.path("out.png").exists(), "{options}");
    }
    assert_eq!(std::fs::read(folder.path("sky.png")).unwrap(), sky(9));
}

#[test]
fn trees_are_rendered_by_views_too() {
    let folder = Folder::new();
    folder.put("scene.obj", SCENE);
    folder.put("a.toml", VIEW);
    let command = "kdtree @scene.obj --runs 1 --backend cpu --render @a.png --view @a.toml \
                   --write-view @b.toml";
    folder.run(command).succeeds();
    let tree = std::fs::read(folder.path("a.png")).unwrap();
    assert_eq!(picture(&folder, "b.png", "--view @b.toml"), tree);
    let command = "kdtree @scene.obj --backend cpu --write-view @c.toml";
    assert!(folder.run(command).error(2).contains("give --render, too"));
}

#[test]
fn bad_views_are_refused_in_a_line() {
    let folder = Folder::new();
    folder.put("scene.obj", SCENE);
    folder.put("bad.toml", "[camera]\nzoom = 3\n");
    folder.put(
        "same.toml",
        "[camera]\neye = [1, 1, 1]\nlook_at = [1, 1, 1]\n",
    );
    for (options, code, words) in [
        ("--view @bad.toml", 3, "bad.toml:2: unknown field `zoom`"),
        ("--view @no.toml", 3, "cannot read "),
        ("--view @same.toml", 3, "same.toml:3: eye and look_at"),
        ("--write-view @out.json", 2, ".toml"),
        ("--write-view @none/out.toml", 3, "cannot write"),
        ("--view @bad.toml --write-view @bad.toml", 2, "named twice"),
        ("--write-view @out.png", 2, "named twice"),
    ] {
        let command = format!("render @scene.obj -o @out.png --backend cpu {options}");
        folder.run(&command).fails(code, words);
    }
    assert_eq!(folder.names(), "bad.toml same.toml scene.obj");
}

/// A triangle from the origin with two cameras, one of them orthographic, a lamp and a spot whose
/// angles are no cones.
const WITH_CAMERA: &str = r#"{"asset": {"version": "2.0"},
    "nodes": [{"mesh": 0}, {"camera": 0, "name": "Gate", "translation": [0.25, 0.25, 3]},
        {"camera": 1, "name": "Plan"}, {"translation": [0, 0, 2], "name": "Lamp",
        "extensions": {"KHR_lights_punctual": {"light": 0}}},
        {"name": "Stage", "extensions": {"KHR_lights_punctual": {"light": 1}}}],
    "cameras": [{"type": "perspective", "perspective": {"yfov": 0.5, "aspectRatio": 0.5, "znear": 1}},
        {"type": "orthographic", "orthographic": {"xmag": 1, "ymag": 1, "zfar": 9, "znear": 0}}],
    "extensions": {"KHR_lights_punctual": {"lights": [{"type": "point", "intensity": 13660},
        {"type": "spot", "spot": {"outerConeAngle": 3}}]}},
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
    "accessors": [{"bufferView": 0, "componentType": 5121, "type": "VEC3", "count": 3}],
    "bufferViews": [{"buffer": 0, "byteLength": 9}],
    "buffers": [{"byteLength": 9, "uri": "data:;base64,AAAAAQAAAAEA"}]}"#;

#[test]
fn cameras_and_lights_of_a_scene_are_used() {
    let folder = Folder::new();
    folder.put("s.gltf", WITH_CAMERA);
    let warned = "heapwood: warning: FILE: camera `Plan` of nodes[2] is left out: it is \
                  orthographic, and only cameras with a perspective are read\n\
                  heapwood: warning: FILE: light `Stage` of nodes[4] is left out: its cones have \
                  angles of 0 and 3: the outer one must be above 0 and at most pi / 2, and the inner \
                  one from 0 to the outer one\n"
        .replace("FILE", &folder.path("s.gltf").display().to_string());
    let render = |name: &str, options: &str| {
        let command = format!("render @s.gltf -o @{name} --backend cpu {options}");
        let outcome = folder.run(&command).succeeds();
        (std::fs::read(folder.path(name)).unwrap(), outcome.stderr)
    };
    let (by_name, said) = render("a.png", "--camera Gate --write-view @a.toml");
    assert_eq!(said, warned);
    assert_eq!(png_size(&folder.path("a.png")), (300, 600));
    let written = std::fs::read_to_string(folder.path("a.toml")).unwrap();
    // It looks at what is beside the middle.
    has(
        &written,
        "eye = [0.25, 0.25, 3.0]\nlook_at = [0.25, 0.25, 0.0]\n",
    );
    assert!(!written.contains("[[point]]"), "{written}");
    assert_eq!(render("b.png", "--camera 1").0, by_name);
    let (_, said) = render("c.png", "--camera Gate --size 40x30");
    assert_eq!(
        (png_size(&folder.path("c.png")), said == warned),
        ((40, 30), true)
    );
    // Flags override the camera, and it overrides a view.
    folder.put("view.toml", "[camera]\neye = [9, 9, 9]\nfov = 10\n");
    assert_eq!(
        render("d.png", "--camera Gate --view @view.toml").0,
        by_name
    );
    assert_ne!(render("e.png", "--camera Gate --fov 10").0, by_name);
    // Without a choice of camera all of the scene is seen, and a note lists the cameras.
    let (framed, said) = render("f.png", "--size 300x600");
    let note = "heapwood: note: the scene has cameras, which --camera takes: 1 `Gate`\n";
    assert_eq!(said, format!("{warned}{note}"));
    assert_ne!(framed, by_name);
    assert_eq!(render("g.png", "--view @view.toml --size 9x9").1, warned);

    // The lamp stands before the middle of what the camera sees, 2 away from it.
    let lit = "--camera Gate --size 20x30 --shade path --sky 0";
    let bright = render("lit.png", lit).0;
    assert_ne!(
        bright,
        render("dark.png", &format!("{lit} --light-scale 0")).0
    );
    assert_ne!(
        bright,
        render("more.png", &format!("{lit} --light-scale 2")).0
    );

    for [options, expected] in rows(
        "--camera Plan | --camera Plan: the scene has no such camera, but 1 `Gate`
         --camera 0 | --camera 0: the scene has no such camera
         --camera 2 | --camera 2: the scene has no such camera
         --light-scale 2 | --light-scale has no effect on --shade eyelight
         --light-scale=-1 --shade path | write a number from 0 to 1000000",
    ) {
        let outcome = folder.run(format!("render @s.gltf -o @x.png --backend cpu {options}"));
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    }
    let outcome = folder.run("render gen:knot -o @x.png --backend cpu --camera 1");
    has(&outcome.stderr, "glTF files may have some");
}
