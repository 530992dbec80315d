//! Times every call with criterion's default settings.

use criterion::{Criterion, criterion_group, criterion_main};

fn clocks(criterion: &mut Criterion) {
    for (id, call) in crosscheck_criterion::calls() {
        criterion.bench_function(id.as_str(), |bencher| bencher.iter(|| call()));
    }
}

criterion_group!(benches, clocks);
criterion_main!(benches);
