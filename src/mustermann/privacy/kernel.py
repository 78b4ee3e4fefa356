"""The optional C++ kernel: built on first use where there is a compiler, else left out.

The built library is kept in the user's cache, under a digest of its source, the compiler
and the processor. MUSTERMANN_KERNEL=torch leaves it out; =cpp fails where it can't be had.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from importlib import resources
from pathlib import Path
from typing import Any

import torch

from mustermann.core.errors import ConfigError

CHOICE = "MUSTERMANN_KERNEL"
_FLAGS = ("-O2", "-march=native", "-shared", "-fPIC")
_BUILD_TIMEOUT_S = 120


@dataclasses.dataclass(frozen=True)
class Kernel:
    """The loaded library."""

    library: Any

    def outer_norm2(
        self, left: torch.Tensor, right: torch.Tensor, *, bias: bool
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns value and terms of `gram.outer_norm2`, each of shape (B,), float64.

        Args:
          left: Shape (B, T, d_in), float32, contiguous, on the CPU.
          right: Shape (B, T, d_out), likewise.
          bias: Whether the bias counts.
        """
        records, length, width = left.shape
        value, terms = torch.empty(2, records, dtype=torch.float64)
        self.library.outer_norm2(
            left.data_ptr(), right.data_ptr(), records, length, width, right.shape[2],
            float(bias), value.data_ptr(), terms.data_ptr(),
        )  # fmt: skip
        return value, terms


def kernel_name() -> str:
    """Returns which code computes the norms of linear layers' gradients: cpp or torch."""
    return "torch" if load() is None else "cpp"


@functools.cache
def load() -> Kernel | None:
    """Returns the kernel, or None where torch does its work.

    Raises:
      ConfigError: The environment asks for another kernel than there is.
    """
    choice = os.environ.get(CHOICE, "auto")
    if choice not in ("auto", "cpp", "torch"):
        raise ConfigError(f"Expected {CHOICE} to be auto, cpp or torch, found {choice!r}.")
    if choice == "torch":
        return None
    try:
        return Kernel(_open(_build()))
    except (OSError, subprocess.SubprocessError, AttributeError) as error:
        if choice == "cpp":
            raise ConfigError(
                f"Expected a C++ compiler for {CHOICE}=cpp, but: {error}. "
                f"Install g++ or leave {CHOICE} at auto."
            ) from error
        return None


def _open(path: Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(path))
    pointer, size = ctypes.c_void_p, ctypes.c_long
    library.outer_norm2.argtypes = [
        pointer, pointer, size, size, size, size, ctypes.c_float, pointer, pointer
    ]  # fmt: skip
    library.outer_norm2.restype = None
    return library


def _build() -> Path:
    """Returns the path of the built library; builds it unless it is there.

    Raises:
      OSError: There is no compiler, or the cache can't be written.
      SubprocessError: The compiler fails.
    """
    compiler = shutil.which(os.environ.get("CXX", "c++")) or shutil.which("g++")
    if compiler is None:
        raise FileNotFoundError("no C++ compiler on the path")
    source = resources.files("mustermann.privacy").joinpath("gram.cpp").read_bytes()
    key = hashlib.blake2b(source, digest_size=12)
    key.update(" ".join((compiler, *_FLAGS, platform.machine(), _processor())).encode())
    folder = _cache()
    target = folder / f"gram-{key.hexdigest()}.so"
    if target.exists():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        code, built = Path(scratch) / "gram.cpp", Path(scratch) / "gram.so"
        code.write_bytes(source)
        subprocess.run(
            [compiler, *_FLAGS, "-o", str(built), str(code)],
            check=True, capture_output=True, timeout=_BUILD_TIMEOUT_S,
        )  # fmt: skip
        built.replace(target)
    return target


def _cache() -> Path:
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "mustermann"


def _processor() -> str:
    """Returns what -march=native depends on, where the system says."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")
