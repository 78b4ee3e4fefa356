from mustermann.llm.pacing import Pacer


class Time:
    def __init__(self):
        self.now, self.slept = 100.0, []

    def clock(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


def test_requests_are_spaced_evenly():
    time = Time()
    pacer = Pacer(30, clock=time.clock, sleep=time.sleep)
    for _ in range(3):
        pacer.wait()
    assert time.slept == [2.0, 2.0]


def test_time_that_has_passed_is_not_waited_for():
    time = Time()
    pacer = Pacer(30, clock=time.clock, sleep=time.sleep)
    pacer.wait()
    time.now += 1.5
    pacer.wait()
    assert time.slept == [0.5]


def test_no_limit_never_waits():
    time = Time()
    pacer = Pacer(0, clock=time.clock, sleep=time.sleep)
    for _ in range(9):
        pacer.wait()
    assert time.slept == []
