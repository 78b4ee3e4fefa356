import math

import pytest

from mustermann.core.parallel import ProcessExecutor, SerialExecutor


@pytest.mark.parametrize("executor", [SerialExecutor(), ProcessExecutor(workers=2)])
def test_results_come_in_order(executor):
    assert list(executor.map(math.factorial, iter(range(50)))) == [
        math.factorial(x) for x in range(50)
    ]


@pytest.mark.parametrize("executor", [SerialExecutor(), ProcessExecutor(workers=2)])
def test_items_are_read_as_needed_and_errors_arrive(executor):
    read = []

    def items():
        for x in (3, 4, -1, *range(10_000)):
            read.append(x)
            yield x

    results = executor.map(math.factorial, items())
    assert [next(results), next(results)] == [6, 24]
    with pytest.raises(ValueError, match="negative"):
        next(results)
    assert len(read) < 100
