"""A function of some 0.3 ms in pytest-benchmark, plain and without what was disturbed."""


def work():
    return sum(number * number for number in range(5_000))


def test_plain(benchmark):
    benchmark(work)


def test_undisturbed(undisturbed):
    undisturbed(work)
