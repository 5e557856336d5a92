//! Builders of k-d trees: right trees, the same from every builder, of every scene and every file.

mod bound;
mod check;
mod clipping;
mod closed_surfaces;
mod cores;
mod extremes;
mod far_planes;
mod frames;
mod kept_trees;
mod oracle;
mod rays;
mod scaled_scenes;
mod shapes;
