from __future__ import annotations

import pytest
import torch

from mustermann.core.errors import ConfigError
from mustermann.privacy import kernel
from mustermann.privacy.gram import gram, outer_norm2


@pytest.fixture(params=["torch", "cpp"])
def choice(request, monkeypatch):
    monkeypatch.setenv(kernel.CHOICE, "auto")
    kernel.load.cache_clear()
    if request.param == "cpp" and kernel.load() is None:
        pytest.skip("no C++ compiler here")
    monkeypatch.setenv(kernel.CHOICE, request.param)
    kernel.load.cache_clear()
    yield request.param
    kernel.load.cache_clear()


@pytest.mark.parametrize("length", [1, 2, 3, 12, 13, 14, 15, 16, 17, 31, 54])
@pytest.mark.parametrize(("width", "height"), [(64, 192), (7, 33), (16, 1)])
@pytest.mark.parametrize("bias", [True, False])
def test_norms_are_those_of_the_matrices(choice, length, width, height, bias):
    assert kernel.kernel_name() == choice
    torch.manual_seed(0)
    left, right = torch.randn(5, length, width), torch.randn(5, length, height)
    found = outer_norm2(left, right, bias=bias)
    matrices = right.double().transpose(1, 2) @ left.double()
    expected = matrices.square().sum((1, 2))
    sizes = left.double().square().sum(2) + float(bias)
    if bias:
        expected = expected + right.double().sum(1).square().sum(1)
    torch.testing.assert_close(found.value, expected, rtol=1e-6, atol=0)
    terms = (sizes * right.double().square().sum(2)).sqrt().sum(1).square()
    torch.testing.assert_close(found.terms, terms, rtol=1e-6, atol=0)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_record_that_is_not_finite_leaves_its_neighbours_alone(choice, bad):
    torch.manual_seed(0)
    left, right = torch.randn(4, 15, 8), torch.randn(4, 15, 8)
    clean = outer_norm2(left, right, bias=True)
    left[2, 14] = bad
    found = outer_norm2(left, right, bias=True)
    assert not found.value[2].isfinite()
    others = torch.tensor([0, 1, 3])
    assert torch.equal(found.value[others], clean.value[others])


def test_views_that_are_not_contiguous_are_taken_as_they_are(choice):
    torch.manual_seed(0)
    left = torch.randn(15, 4, 8).transpose(0, 1)
    right = torch.randn(4, 16, 8)[:, 1:]
    found = outer_norm2(left, right, bias=False)
    expected = outer_norm2(left.double(), right.double(), bias=False)
    torch.testing.assert_close(found.value, expected.value, rtol=1e-6, atol=0)


def test_gram_matrices_of_a_slice_do_not_reach_beyond_its_end():
    whole = torch.randn(6, 15, 8)
    whole[0] = whole[5] = float("nan")
    rows = whole[1:5]
    torch.testing.assert_close(gram(rows), rows @ rows.transpose(1, 2))


def test_a_kernel_that_is_not_there_is_refused_only_when_asked_for(monkeypatch, tmp_path):
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setenv(kernel.CHOICE, "auto")
    kernel.load.cache_clear()
    assert kernel.load() is None
    assert kernel.kernel_name() == "torch"
    monkeypatch.setenv(kernel.CHOICE, "cpp")
    kernel.load.cache_clear()
    with pytest.raises(ConfigError, match="C\\+\\+ compiler"):
        kernel.load()
    monkeypatch.setenv(kernel.CHOICE, "fortran")
    kernel.load.cache_clear()
    with pytest.raises(ConfigError, match="fortran"):
        kernel.load()
    kernel.load.cache_clear()


def test_a_compiler_that_fails_leaves_the_work_to_torch(monkeypatch, tmp_path):
    broken = tmp_path / "c++"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CXX", str(broken))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv(kernel.CHOICE, "auto")
    kernel.load.cache_clear()
    assert kernel.load() is None
    kernel.load.cache_clear()
    assert not list((tmp_path / "cache").rglob("*.so"))
