//! Where results come from: machines, programs, files.

use maud::{Markup, html};

use crate::Collection;

/// The section of origins.
pub fn origin(collection: &Collection) -> Markup {
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
    let machines = collection.machines.iter();
    let machines = machines.filter(|machine| !machine.device.is_empty());
    html! {
        section #origin {
            h2 { "Origin" }
            div.scroll {
                table {
                    thead {
                        tr {
                            th scope="col" { "machine" }
                            th.text scope="col" { "driver" }
                            th.text scope="col" { "commit" }
                            th.text scope="col" { "compiler" }
                        }
                    }
                    tbody {
                        @for machine in machines {
                            tr {
                                th scope="row" { (machine.device) }
                                td.text { (text(&machine.driver)) }
                                td.text { (text(&machine.commit)) }
                                td.text { (text(&machine.compiler)) }
                            }
                        }
                    }
                }
            }
            details {
                summary { (collection.files.len()) " files" }
                ul { @for file in &collection.files { li { (file) } } }
            }
        }
    }
}
