//! What two reads of `Instant` add to the sum of a vector. Arguments: samples, iterations of each
//! sample, integers of each iteration. Prints a name and a number for each figure, in nanoseconds.

use std::time::Instant;

/// A function of its own, so that both loops add with the same machine code.
#[inline(never)]
fn added(v: &[usize]) -> usize {
    std::hint::black_box(v).iter().sum()
}

fn main() {
    let numbers: Vec<usize> =
        std::env::args().skip(1).map(|argument| argument.parse().unwrap()).collect();
    let [samples, n, m] = numbers[..] else { panic!("SAMPLES N M") };
    let v: Vec<usize> = (0..m).collect();
    let mut total = 0;
    let (mut baseline, mut wall_clock, mut overhead) = (vec![], vec![], vec![]);
    for _ in 0..samples {
        let start = Instant::now();
        let mut sum: usize = 0;
        for _ in 0..n {
            sum += added(&v);
        }
        let without = start.elapsed().as_nanos() as f64 / n as f64;
        total += sum;

        let start = Instant::now();
        let mut sum: usize = 0;
        for _ in 0..n {
            let s = Instant::now();
            sum += added(&v);
            let e = Instant::now();
            let _elapsed = e - s;
        }
        let with = start.elapsed().as_nanos() as f64 / n as f64;
        total += sum;
        baseline.push(without);
        wall_clock.push(with);
        overhead.push(with - without);
    }
    for (name, values) in
        [("baseline", &mut baseline), ("wall_clock", &mut wall_clock), ("overhead", &mut overhead)]
    {
        let average = values.iter().sum::<f64>() / values.len() as f64;
        values.sort_by(f64::total_cmp);
        println!("{name}.average {average:.3}");
        println!("{name}.median {:.3}", values[values.len() / 2]);
    }
    println!("sum {total}");
}
