//! chronoscope beside its peers.

mod interleave;
mod reads;

fn main() {
    for (what, f) in [
        ("single", reads::single as fn(usize, u32) -> _),
        ("ordered", reads::ordered),
        ("elapsed", reads::elapsed),
    ] {
        println!("{what}");
        for c in f(2000, 1000) {
            println!(
                "{:36} {:8.3} {:8.3} {:6.3} {:6.3}",
                c.name, c.lowest_ns, c.median_ns, c.ratio, c.median_ratio
            );
        }
    }
}
