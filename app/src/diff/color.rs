//! Colors as FLIP needs them: from sRGB to an opponent space, in which images are filtered as
//! eyes filter them, and to CIELAB, in which distances are what people see.

/// The red, green and blue of CIE XYZ, a row a coordinate (ITU-R BT.709 primaries, D65).
const TO_XYZ: [[f32; 3]; 3] = [
    [
        10_135_552.0 / 24_577_794.0,
        8_788_810.0 / 24_577_794.0,
        4_435_075.0 / 24_577_794.0,
    ],
    [
        2_613_072.0 / 12_288_897.0,
        8_788_810.0 / 12_288_897.0,
        887_015.0 / 12_288_897.0,
    ],
    [
        1_425_312.0 / 73_733_382.0,
        8_788_810.0 / 73_733_382.0,
        70_074_185.0 / 73_733_382.0,
    ],
];
/// Its inverse.
const TO_RGB: [[f32; 3]; 3] = [
    [3.241_003_3, -1.537_398_9, -0.498_615_85],
    [-0.969_224_3, 1.875_93, 0.041_554_224],
    [0.055_639_42, -0.204_011_2, 1.057_149],
];
/// XYZ of white.
const WHITE: [f32; 3] = [0.950_428_54, 1.0, 1.088_900_4];

fn times(matrix: &[[f32; 3]; 3], vector: [f32; 3]) -> [f32; 3] {
    matrix.map(|row| row[0] * vector[0] + row[1] * vector[1] + row[2] * vector[2])
}

/// Linear red, green and blue of 8-bit sRGB.
pub fn linear(pixel: [u8; 3]) -> [f32; 3] {
    pixel.map(|channel| {
        let value = f32::from(channel) / 255.0;
        if value <= 0.040_45 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    })
}

/// The opponent space of CIELAB without its roots: luminance, red against green, blue against
/// yellow.
pub fn opponent(rgb: [f32; 3]) -> [f32; 3] {
    let xyz = times(&TO_XYZ, rgb);
    let [x, y, z] = [0, 1, 2].map(|axis| xyz[axis] / WHITE[axis]);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// The way back from [`opponent`], cut off to what can be shown.
pub fn shown([luminance, red_green, blue_yellow]: [f32; 3]) -> [f32; 3] {
    let y = (luminance + 16.0) / 116.0;
    let relative = [y + red_green / 500.0, y, y - blue_yellow / 200.0];
    let xyz = [0, 1, 2].map(|axis| relative[axis] * WHITE[axis]);
    times(&TO_RGB, xyz).map(|channel| channel.clamp(0.0, 1.0))
}

/// CIELAB, with chroma that grows with lightness (the Hunt effect).
pub fn hunt_lab(rgb: [f32; 3]) -> [f32; 3] {
    /// Below its third power the root is a line.
    const DELTA: f32 = 6.0 / 29.0;
    let xyz = times(&TO_XYZ, rgb);
    let [x, y, z] = [0, 1, 2].map(|axis| {
        let value = xyz[axis] / WHITE[axis];
        if value > DELTA.powi(3) {
            value.cbrt()
        } else {
            value / (3.0 * DELTA * DELTA) + 4.0 / 29.0
        }
    });
    let lightness = 116.0 * y - 16.0;
    let chroma = 0.01 * lightness;
    [
        lightness,
        chroma * 500.0 * (x - y),
        chroma * 200.0 * (y - z),
    ]
}

/// The distance of two colors of [`hunt_lab`]: that of lightness plus that of chroma (HyAB).
pub fn distance(one: [f32; 3], other: [f32; 3]) -> f32 {
    let [lightness, a, b] = [0, 1, 2].map(|axis| one[axis] - other[axis]);
    lightness.abs() + a.hypot(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_come_back() {
        for pixel in [[0, 0, 0], [255, 255, 255], [12, 200, 77], [255, 0, 3]] {
            let rgb = linear(pixel);
            let back = shown(opponent(rgb));
            for (one, other) in rgb.iter().zip(back) {
                assert!((one - other).abs() < 1e-5, "{pixel:?}: {rgb:?}, {back:?}");
            }
        }
        let white = hunt_lab([1.0; 3]);
        assert!((white[0] - 100.0).abs() < 1e-3 && white[1].abs() < 1e-2);
    }
}
