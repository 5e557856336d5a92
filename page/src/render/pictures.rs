//! Pictures among the files: heaps over time, densities, seas, scenes.

use maud::{Markup, html};

use crate::Collection;

/// The section of pictures; nothing without one.
pub fn pictures(collection: &Collection) -> Markup {
    html! {
        @if !collection.pictures.is_empty() {
            section #pictures {
                h2 { "Pictures" }
                @for picture in &collection.pictures {
                    figure {
                        img alt={ "The picture in " (picture.file) }
                            src={ "data:image/png;base64," (picture.base64) };
                        figcaption { (picture.file) }
                    }
                }
            }
        }
    }
}
