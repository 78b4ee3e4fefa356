from __future__ import annotations

import platform

from mustermann.privacy.allocator import keep_freed_memory


def test_glibc_accepts_the_settings():
    keep_freed_memory.cache_clear()
    assert keep_freed_memory() == (platform.libc_ver()[0] == "glibc")


def test_other_systems_are_left_alone(monkeypatch):
    def refuse(name):
        raise OSError("no such library")

    monkeypatch.setattr("ctypes.CDLL", refuse)
    keep_freed_memory.cache_clear()
    assert keep_freed_memory() is False
    keep_freed_memory.cache_clear()
