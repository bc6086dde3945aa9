"""Counters and histograms, made once and shown together."""

from __future__ import annotations

import pytest

from recollect.observe.counted import Registry
from recollect.observe.metrics import Bounded, Histogram, gauges


def test_everything_that_is_made_is_shown() -> None:
    registry = Registry()
    hits = registry.counter("hits_total", "Hits.", ("tenant", "type"))
    took = registry.histogram("seconds", "Time.", ("operation",), (0.1, 1.0))
    hits.add("acme", "memory")
    hits.add("acme", "memory", by=2)
    took.add("get", seconds=0.5)
    took.add("get", seconds=5)
    assert list(registry.lines()) == [
        "# HELP hits_total Hits.",
        "# TYPE hits_total counter",
        'hits_total{tenant="acme",type="memory"} 3',
        "# HELP seconds Time.",
        "# TYPE seconds histogram",
        'seconds_bucket{operation="get",le="0.1"} 0',
        'seconds_bucket{operation="get",le="1"} 1',
        'seconds_bucket{operation="get",le="+Inf"} 2',
        'seconds_sum{operation="get"} 5.500000',
        'seconds_count{operation="get"} 2',
    ]
    with pytest.raises(ValueError, match="hits_total"):
        registry.counter("hits_total", "Again.")


def test_labels_from_outside_are_bounded() -> None:
    label = Bounded(2)
    assert [label(name) for name in ("a", "b", "c", "a", "d")] == ["a", "b", "other", "a", "other"]


def test_a_gauge_for_each_label() -> None:
    lines = list(gauges("due", "Due.", ("kind",), {("tidy",): 2, ("extract",): 1.5}))
    assert lines[2:] == ['due{kind="extract"} 1.5', 'due{kind="tidy"} 2']


def test_a_histogram_of_amounts() -> None:
    lengths = Histogram("lengths", "How long.", ("tenant",), (2.0, 10.0))
    for newest in (1, 2, 9, 40):
        lengths.take("acme", amount=newest)
    assert list(lengths.lines())[2:] == [
        'lengths_bucket{tenant="acme",le="2"} 2',
        'lengths_bucket{tenant="acme",le="10"} 3',
        'lengths_bucket{tenant="acme",le="+Inf"} 4',
        'lengths_sum{tenant="acme"} 52.000000',
        'lengths_count{tenant="acme"} 4',
    ]
