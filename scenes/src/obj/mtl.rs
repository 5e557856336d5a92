//! The checking pass over MTL text, and materials from what `tobj` reads.
//!
//! A fault in a material library never refuses a scene: its line is skipped
//! and warned about. The text that [`checked`] returns holds only lines that `tobj`
//! reads without error.

use super::map::{self, Map};
use super::{keyword, numbered_lines};
use crate::error::excerpt;
use crate::{Material, MaterialTextures, Warning};
use glam::Vec3;
use std::fmt::Write;

/// Words of MTL that have no use here: sharpness of reflections, sheen, a clear coat, and
/// reflections that depend on the direction.
const UNUSED: [&str; 6] = ["sharpness", "Ps", "Pc", "Pcr", "aniso", "anisor"];

/// The lines of `text` that are read, and warnings; `file` is the library's name beside the scene,
/// and `path` what messages call it. Texture maps go to the end of `maps`, and in the text are
/// their numbers there.
pub(super) fn checked(
    file: &str,
    path: &str,
    text: &str,
    maps: &mut Vec<Map>,
) -> (String, Vec<Warning>) {
    let mut out = String::new();
    let mut textures = 0;
    let mut bad = 0;
    let mut first_bad = None;
    let mut options: Vec<(usize, String)> = Vec::new();
    let mut unknown = 0;
    let mut first_unknown = None;
    for (number, line) in numbered_lines(text) {
        let (word, rest) = keyword(&line);
        let sound = match word {
            "newmtl" => newmtl(rest, &mut out),
            "Ka" | "Kd" | "Ks" | "Ke" | "Tf" => colour(word, rest, &mut out),
            "Ns" | "Ni" | "d" | "Tr" | "Pr" | "Pm" => scalar(word, rest, &mut out),
            "illum" => illumination(rest, &mut out),
            "bump" | "norm" | "disp" | "decal" | "refl" => {
                textures += 1;
                true
            }
            _ => match map::kind(word) {
                Some(kind) => {
                    let read = map::parse(file, number, rest);
                    let is_read = read.is_some();
                    if let Some((map, ignored)) = read {
                        writeln!(out, "{kind} {}", maps.len())
                            .expect("writing to a string succeeds");
                        maps.push(map);
                        options.extend(ignored.into_iter().map(|option| (number, option)));
                    }
                    is_read
                }
                None if word.starts_with("map_") => {
                    textures += 1;
                    true
                }
                None => {
                    let is_known = word.is_empty() || word.starts_with('#');
                    if !is_known && !UNUSED.contains(&word) {
                        unknown += 1;
                        first_unknown.get_or_insert_with(|| (number, excerpt(word)));
                    }
                    true
                }
            },
        };
        if !sound {
            bad += 1;
            first_bad.get_or_insert_with(|| (number, excerpt(&line)));
        }
    }

    let mut warnings = Vec::new();
    let path = || path.to_owned();
    if let Some((line, text)) = first_bad {
        warnings.push(Warning::LibraryLines {
            file: path(),
            count: bad,
            line,
            text,
        });
    }
    if let Some((line, keyword)) = first_unknown {
        warnings.push(Warning::UnknownKeyword {
            path: path(),
            count: unknown,
            line,
            keyword,
        });
    }
    if let Some(&(line, _)) = options.first() {
        let mut names: Vec<String> = options.into_iter().map(|(_, option)| option).collect();
        names.sort_unstable();
        names.dedup();
        warnings.push(Warning::TextureOptions {
            file: path(),
            line,
            options: names.join(", "),
        });
    }
    if textures > 0 {
        warnings.push(Warning::Textures {
            file: path(),
            count: textures,
        });
    }
    (out, warnings)
}

fn newmtl(name: &str, out: &mut String) -> bool {
    if !name.is_empty() {
        writeln!(out, "newmtl {name}").expect("writing to a string succeeds");
    }
    !name.is_empty()
}

/// A colour of three numbers, or of one that stands for all three.
fn colour(word: &str, rest: &str, out: &mut String) -> bool {
    let values: Option<Vec<f32>> = rest.split_whitespace().map(finite).collect();
    let (r, g, b) = match values.as_deref() {
        Some(&[grey]) => (grey, grey, grey),
        Some(&[r, g, b]) => (r, g, b),
        _ => return false,
    };
    writeln!(out, "{word} {r} {g} {b}").expect("writing to a string succeeds");
    true
}

fn scalar(word: &str, rest: &str, out: &mut String) -> bool {
    let value = finite(rest);
    if let Some(value) = value {
        writeln!(out, "{word} {value}").expect("writing to a string succeeds");
    }
    value.is_some()
}

/// One of the illumination models, which are numbered from 0 to 10.
fn illumination(rest: &str, out: &mut String) -> bool {
    let model = rest.parse().ok().filter(|model: &u8| *model <= 10);
    if let Some(model) = model {
        writeln!(out, "illum {model}").expect("writing to a string succeeds");
    }
    model.is_some()
}

fn finite(word: &str) -> Option<f32> {
    word.parse().ok().filter(|value: &f32| value.is_finite())
}

/// Illumination models of MTL in which light is refracted.
pub(super) const REFRACTION: [u8; 2] = [6, 7];

/// The maps of a material's diffuse colour, emission and opacity.
pub(super) fn maps<'a>(read: &tobj::Material, maps: &'a [Map]) -> [Option<&'a Map>; 3] {
    let emission = read.unknown_param.get("map_Ke");
    [
        read.diffuse_texture.as_ref(),
        emission,
        read.dissolve_texture.as_ref(),
    ]
    .map(|number| maps.get(number?.parse::<usize>().ok()?))
}

/// Our material from `tobj`'s, with these textures; what the library leaves out is the default's,
/// or 1 where a texture scales it.
pub(super) fn material(read: &tobj::Material, textures: MaterialTextures) -> Material {
    let mut default = Material::default();
    if textures.base.is_some() {
        default.diffuse = Vec3::ONE;
    }
    if textures.emission.is_some() {
        default.emission = Vec3::ONE;
    }
    let colour = |value: Option<[f32; 3]>, other| value.map_or(other, Vec3::from_array);
    // Lines that `tobj` keeps as text are in the form that `checked` gave them.
    let numbers = |word: &str| {
        let words = read.unknown_param.get(word)?.split_whitespace();
        words.map(finite).collect::<Option<Vec<f32>>>()
    };
    let number = |word| numbers(word)?.first().copied();
    let filter = numbers("Tf").map(|filter| filter.iter().sum::<f32>() / 3.0);
    let is_refractive = read
        .illumination_model
        .is_some_and(|model| REFRACTION.contains(&model));
    Material {
        diffuse: colour(read.diffuse, default.diffuse),
        specular: colour(read.specular, default.specular),
        emission: colour(read.emissive, default.emission),
        shininess: read.shininess.unwrap_or(default.shininess),
        opacity: read
            .dissolve
            .or(number("Tr").map(|transparency| 1.0 - transparency))
            .unwrap_or(default.opacity),
        metallic: number("Pm").unwrap_or(default.metallic),
        roughness: number("Pr"),
        // Opaque materials of many files have a filter of 1, too.
        transmission: match is_refractive {
            true => filter.unwrap_or(1.0),
            false => default.transmission,
        },
        ior: read.optical_density.unwrap_or(default.ior),
        illum: read.illumination_model,
        name: read.name.clone(),
        textures,
    }
    .clamped()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<Material>, Vec<Warning>) {
        let (text, warnings) = checked("m", "m", text, &mut Vec::new());
        let (materials, _) = tobj::load_mtl_buf(&mut text.as_bytes()).unwrap();
        let plain = |read| material(read, MaterialTextures::default());
        (materials.iter().map(plain).collect(), warnings)
    }

    #[test]
    fn properties_are_read_and_clamped() {
        let text = "newmtl a b\nKd 0.1 0.2 3\nKe 5\nNs -1\nd 0.5\n\nnewmtl c\n";
        let (materials, warnings) = read(text);
        assert_eq!(warnings, []);
        let expected = Material {
            emission: Vec3::splat(5.0),
            opacity: 0.5,
            ..Material::matt("a b", Vec3::new(0.1, 0.2, 1.0))
        };
        assert_eq!(materials[0], expected);
        let plain = Material {
            name: "c".to_owned(),
            ..Material::default()
        };
        assert_eq!(materials[1], plain);
    }

    #[test]
    fn glass_metal_and_models_are_read() {
        let (materials, warnings) = read(
            "newmtl glass\nillum 7\nNi 1.33\nTf 0.5 0.5 0.5\nTr 0.25\n\
             newmtl opaque\nillum 2\nTf 1 1 1\nd 1\nTr 1\nNi 0.2\n\
             newmtl metal\nPm 1\nPr 0.125\nillum 11\nillum x\n\
             newmtl water\nillum 6\n",
        );
        let [glass, opaque, metal, water] = &materials[..] else {
            panic!("{materials:?}");
        };
        assert_eq!(
            (glass.transmission, glass.ior, glass.opacity),
            (0.5, 1.33, 0.75)
        );
        assert_eq!(glass.illum, Some(7));
        assert_eq!(
            (opaque.transmission, opaque.ior, opaque.opacity),
            (0.0, 1.0, 1.0)
        );
        assert_eq!((metal.metallic, metal.roughness), (1.0, Some(0.125)));
        assert_eq!((metal.illum, metal.ior), (None, Material::IOR));
        assert_eq!(water.transmission, 1.0);
        assert!(matches!(
            warnings[..],
            [Warning::LibraryLines { count: 2, .. }]
        ));
    }

    #[test]
    fn texture_maps_of_every_kind_are_counted() {
        let maps = [
            "map_Ks", "map_Bump", "bump", "norm", "disp", "decal", "refl",
        ];
        let lines: String = maps.map(|map| format!("{map} t.png\n")).concat();
        let (materials, warnings) = read(&format!("newmtl a\n{lines}"));
        assert_eq!(materials.len(), 1);
        let count = maps.len();
        let file = "m".to_owned();
        assert_eq!(warnings, [Warning::Textures { file, count }]);
    }

    #[test]
    fn maps_that_are_read_keep_their_material_and_place() {
        let text = "newmtl a\nmap_Kd a.png\nmap_d -bm 1 b.png\nnewmtl b\nmap_ke -s 2 c.png\n\
                    map_Kd -s\nnewmtl c\nmap_Kd -cc on -bm 2 d.png\nmap_Kd e.png\n";
        let mut found = vec![map::parse("before", 9, "x.png").unwrap().0];
        let (text, warnings) = checked("m", "m", text, &mut found);
        let (materials, _) = tobj::load_mtl_buf(&mut text.as_bytes()).unwrap();
        let of = |number: usize| {
            let maps = maps(&materials[number], &found);
            maps.map(|map| map.map(|map| (map.file.as_str(), map.line)))
        };
        assert_eq!(of(0), [Some(("a.png", 2)), None, Some(("b.png", 3))]);
        assert_eq!(of(1), [None, Some(("c.png", 5)), None]);
        // The later one of two counts.
        assert_eq!(of(2), [Some(("e.png", 9)), None, None]);
        let lines: Vec<String> = warnings.iter().map(Warning::to_string).collect();
        assert_eq!(
            lines,
            [
                "m:6: `map_Kd -s` is not understood; 1 such lines skipped",
                "m:3: options of texture maps have no effect: -bm, -cc"
            ]
        );
    }

    #[test]
    fn unknown_words_are_told_once_with_their_line() {
        let known = UNUSED.map(|word| format!("{word} 0.5\n")).concat();
        let text = format!("# made by\n#hand\n\nnewmtl a\n{known}Kdd 1 0 0\nkd 1 1 1\n");
        let (materials, warnings) = read(&text);
        assert_eq!(materials.len(), 1);
        let lines: Vec<String> = warnings.iter().map(Warning::to_string).collect();
        assert_eq!(
            lines,
            ["m:11: keyword `Kdd` is not read; 2 such lines skipped"]
        );
    }

    #[test]
    fn bad_lines_are_skipped_with_one_warning() {
        let text = "newmtl a\nKd 1 2\nKd x y z\nKe nan 0 0\nNs\nnewmtl\nmap_Ks t.png\nillum 2\n";
        let (materials, warnings) = read(text);
        assert_eq!(materials.len(), 1);
        assert_eq!(materials[0].diffuse, Material::default().diffuse);
        let lines: Vec<String> = warnings.iter().map(Warning::to_string).collect();
        assert_eq!(
            lines,
            [
                "m:2: `Kd 1 2` is not understood; 5 such lines skipped",
                "m: 1 texture maps ignored; plain colours are used"
            ]
        );
    }
}
