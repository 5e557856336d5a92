use heapwood_tests::weaken::{failure, workloads};
fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let w: Vec<_> = workloads()
        .into_iter()
        .filter(|w| w.name.starts_with("scatter"))
        .collect();
    let start = std::time::Instant::now();
    let mut n = 0u64;
    for seed in 0.. {
        for w in &w {
            if let Some(t) = failure(w, seed) {
                println!("{} {seed}: {t}", w.name);
            }
        }
        n += 1;
        if start.elapsed().as_secs() > 100 {
            break;
        }
    }
    println!("{n} seeds");
}
