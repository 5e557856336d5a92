//! OpenEXR files: one part whose channels have 32-bit floats. A layer is a prefix of names.

use std::io::Cursor;

use exr::prelude::{
    AnyChannel, AnyChannels, Encoding, FlatSamples, Image, Layer, LayerAttributes, WritableImage,
};

use super::RenderedImage;
use crate::encode::EncodeError;

/// Channels in the order in which they were added.
#[derive(Default)]
struct Channels(Vec<(String, Vec<f32>)>);

impl Channels {
    /// The values of pixels under these names; a value without a name is left out.
    fn add(&mut self, layer: &str, names: [&str; 3], pixels: &[[f32; 3]]) {
        for (index, name) in names.into_iter().enumerate() {
            if !name.is_empty() {
                let values = pixels.iter().map(|pixel| pixel[index]).collect();
                self.0.push((format!("{layer}{name}"), values));
            }
        }
    }
}

/// The file of a picture.
pub(super) fn encode(picture: &RenderedImage) -> Result<Vec<u8>, EncodeError> {
    let mut channels = Channels::default();
    channels.add("", picture.channels, &picture.raw);
    if let Some(aovs) = &picture.aovs {
        channels.add("albedo.", ["R", "G", "B"], &aovs.albedo);
        channels.add("normal.", ["X", "Y", "Z"], &aovs.normal);
        channels.0.push(("depth.Z".to_owned(), aovs.depth.clone()));
    }
    let list = channels
        .0
        .into_iter()
        .map(|(name, values)| AnyChannel::new(name.as_str(), FlatSamples::F32(values)));
    let layer = Layer::new(
        (picture.width as usize, picture.height as usize),
        LayerAttributes::default(),
        Encoding::SMALL_LOSSLESS,
        AnyChannels::sort(list.collect()),
    );
    let mut file = Cursor::new(Vec::new());
    let written = Image::from_layer(layer).write().to_buffered(&mut file);
    written.map_err(EncodeError::new)?;
    Ok(file.into_inner())
}

#[cfg(test)]
mod tests {
    use exr::prelude::{ReadChannels, ReadLayers, read};

    use super::super::{Aovs, RayCounts};
    use super::*;
    use crate::samples::Samples;

    #[test]
    fn what_was_rendered_is_read_again_bit_for_bit() {
        let number = |index: usize| (index as f32 - 2.5) * 1.1e3;
        let pixels = |from: usize| -> Vec<[f32; 3]> {
            (0..6)
                .map(|index| [0, 1, 2].map(|i| number(from + 3 * index + i)))
                .collect()
        };
        let mut depth: Vec<f32> = (0..6).map(number).collect();
        depth[4] = f32::INFINITY;
        let picture = RenderedImage {
            width: 3,
            height: 2,
            raw: pixels(0),
            channels: ["R", "G", "B"],
            aovs: Some(Aovs {
                albedo: pixels(20),
                normal: pixels(40),
                depth: depth.clone(),
            }),
            rgba: Vec::new(),
            rays: RayCounts::default(),
            samples: 1,
            render_ms: Samples::new(vec![1.0]).unwrap(),
            ray_ms: None,
        };
        let file = encode(&picture).unwrap();
        let image = read()
            .no_deep_data()
            .largest_resolution_level()
            .all_channels()
            .first_valid_layer()
            .all_attributes()
            .from_buffered(Cursor::new(file))
            .unwrap();
        let layer = image.layer_data;
        assert_eq!((layer.size.0, layer.size.1), (3, 2));
        let values = |name: &str| -> Vec<f32> {
            let list = &layer.channel_data.list;
            let channel = list.iter().find(|channel| channel.name.eq(name)).unwrap();
            channel.sample_data.values_as_f32().collect()
        };
        let of = |pixels: &[[f32; 3]], i: usize| -> Vec<f32> {
            pixels.iter().map(|pixel| pixel[i]).collect()
        };
        assert_eq!(layer.channel_data.list.len(), 10);
        assert_eq!(values("G"), of(&picture.raw, 1));
        assert_eq!(values("albedo.R"), of(&pixels(20), 0));
        assert_eq!(values("normal.Z"), of(&pixels(40), 2));
        assert_eq!(values("depth.Z"), depth);
    }

    #[test]
    fn values_without_a_name_are_left_out() {
        let mut channels = Channels::default();
        channels.add("", ["nodes", "triangles", ""], &[[1.0, 2.0, 3.0]]);
        let expected = [
            ("nodes".to_owned(), vec![1.0]),
            ("triangles".to_owned(), vec![2.0]),
        ];
        assert_eq!(channels.0, expected);
    }
}
