"""What a private step costs beside a step of the same model without privacy.

    python benchmarks/dpsgd.py [--json FILE] [--records 1024] [--rounds 31] [--peers all]

A step is everything between two states of the model: loss and gradients of all records,
clipping and noise where there are any, and Adam. The model is a transformer of two layers
over 15 columns of 100 levels. Contenders run in one thread and in turns, so that a busy
machine slows all of them alike, and processor time is what counts, which leaves out the
time in which other programs ran; figures are medians over the rounds, as ratios. Ours takes
turns with the non-private steps first and with its peers after that, for half as many rounds:
vmap's gigabytes would sweep everybody else's pages out of the process between two turns.

Opacus knows only torch's layers, so it is given samplers for ours, written as well as its
own are. Its steps add no noise, which favours it.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn
from torch.func import functional_call, grad, vmap

from mustermann.privacy.allocator import keep_freed_memory
from mustermann.privacy.dpsgd import DpSgd, Mechanism
from mustermann.privacy.kernel import kernel_name
from mustermann.privacy.layers import ColumnEmbedding, ColumnHeads, Positions

Step = Callable[[], object]
SIZES = (100,) * 15
OURS = "ours"
VMAP_RECORDS = 256
"""vmap holds every record's gradient, so it runs in parts of this many records."""


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before_mixing = nn.LayerNorm(width, elementwise_affine=False)
        self.mix = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.before_widening = nn.LayerNorm(width, elementwise_affine=False)
        self.widen = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)
        self.register_buffer("mask", torch.full((len(SIZES),) * 2, -1e9).triu(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        records, length, width = x.shape
        mixed = self.mix(self.before_mixing(x)).view(records, length, 3, self.heads, -1)
        q, k, v = mixed.permute(2, 0, 3, 1, 4).unbind(0)
        scores = (q / math.sqrt(width // self.heads)) @ k.transpose(-1, -2) + self.mask
        read = (scores.softmax(-1) @ v).transpose(1, 2).reshape(records, length, width)
        x = x + self.out(read)
        wide = nn.functional.gelu(self.widen(self.before_widening(x)), approximate="tanh")
        return x + self.narrow(wide)


class Model(nn.Module):
    """Losses of rows of levels, in nats."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.embedding = ColumnEmbedding(SIZES[:-1], width)
        self.positions = Positions(len(SIZES), width)
        self.blocks = nn.ModuleList([Block(width, 4), Block(width, 4)])
        self.last = nn.LayerNorm(width, elementwise_affine=False)
        self.heads = ColumnHeads(SIZES, width)
        nn.init.normal_(self.heads.weight, std=0.02)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        h = nn.functional.pad(self.embedding(ids[:, :-1]), (0, 0, 1, 0))
        h = self.positions(h)
        for block in self.blocks:
            h = block(h)
        chances = self.heads(self.last(h)).log_softmax(-1)
        return -chances.gather(2, ids.unsqueeze(2)).squeeze(2).sum(1)


def draw(records: int) -> torch.Tensor:
    return torch.randint(0, 100, (records, len(SIZES)), generator=torch.Generator().manual_seed(0))


def plain(width: int, rows: torch.Tensor, part: int):
    model = Model(width)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4)

    def step() -> None:
        optimiser.zero_grad(set_to_none=True)
        for start in range(0, len(rows), part):
            (model(rows[start : start + part]).sum() / len(rows)).backward()
        optimiser.step()

    return step


def ours(width: int, rows: torch.Tensor):
    model = Model(width)
    mechanism = Mechanism(steps=10**6, rate=1.0, clip=1.0, noise=1.0)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4)
    run = DpSgd(model, model, rows, mechanism, optimiser, records=len(rows))
    return run.advance


def by_vmap(width: int, rows: torch.Tensor):
    model = Model(width)
    weights = {name: p.detach() for name, p in model.named_parameters()}
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4)

    def loss(weights: dict[str, torch.Tensor], row: torch.Tensor) -> torch.Tensor:
        return functional_call(model, weights, (row[None],))[0]

    gradients = vmap(grad(loss), in_dims=(None, 0))

    def step() -> None:
        total = {name: torch.zeros_like(w) for name, w in weights.items()}
        for part in rows.split(VMAP_RECORDS):
            found = gradients(weights, part)
            norms = torch.stack([g.flatten(1).norm(dim=1) for g in found.values()]).norm(dim=0)
            factors = (1 / norms).clamp(max=1.0)
            for name, g in found.items():
                total[name] += torch.tensordot(factors, g, 1)
        for name, parameter in model.named_parameters():
            parameter.grad = total[name] / len(rows)
        optimiser.step()

    return step


def teach_opacus() -> None:
    """Gives Opacus samplers of gradients and of norms for our layers."""
    from opacus.grad_sample import register_grad_sampler, register_norm_sampler

    def table(layer: ColumnEmbedding, ids: torch.Tensor, given: torch.Tensor) -> torch.Tensor:
        columns, levels, width = layer.weight.shape
        flat = (ids + layer.offsets).unsqueeze(2).expand_as(given)
        empty = given.new_zeros(len(ids), columns * levels, width)
        return empty.scatter_add_(1, flat, given).view(-1, columns, levels, width)

    @register_grad_sampler(ColumnEmbedding)
    def _(layer, activations, given):
        return {layer.weight: table(layer, activations[0], given)}

    @register_grad_sampler(ColumnHeads)
    def _(layer, activations, given):
        weight = torch.einsum("bcn,bcd->bcnd", given, activations[0])
        return {layer.weight: weight, layer.bias: given}

    @register_grad_sampler(Positions)
    def _(layer, activations, given):
        return {layer.weight: given}

    @register_norm_sampler(ColumnEmbedding)
    def _(layer, activations, given):
        return {layer.weight: given.flatten(1).norm(dim=1)}

    @register_norm_sampler(ColumnHeads)
    def _(layer, activations, given):
        squares = given.square().sum(2)
        weight = (squares * activations[0].square().sum(2)).sum(1).sqrt()
        return {layer.weight: weight, layer.bias: squares.sum(1).sqrt()}

    @register_norm_sampler(Positions)
    def _(layer, activations, given):
        return {layer.weight: given.flatten(1).norm(dim=1)}


def opacus_hooks(width: int, rows: torch.Tensor, part: int):
    from opacus.grad_sample import GradSampleModule

    model = GradSampleModule(Model(width), loss_reduction="sum", strict=False)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4)

    def step() -> None:
        total = [torch.zeros_like(p) for p in model.parameters()]
        for chunk in rows.split(part):
            model(chunk).sum().backward()
            found = [p.grad_sample for p in model.parameters()]
            norms = torch.stack([g.flatten(1).norm(dim=1) for g in found]).norm(dim=0)
            factors = (1 / norms).clamp(max=1.0)
            for sum_, g in zip(total, found, strict=True):
                sum_ += torch.tensordot(factors, g, 1)
            optimiser.zero_grad(set_to_none=True)
            for p in model.parameters():
                p.grad_sample = None
        for p, g in zip(model.parameters(), total, strict=True):
            p.grad = g / len(rows)
        optimiser.step()

    return step


def opacus_ghost(width: int, rows: torch.Tensor, part: int):
    from opacus.grad_sample import GradSampleModuleFastGradientClipping

    model = GradSampleModuleFastGradientClipping(
        Model(width), max_grad_norm=1.0, use_ghost_clipping=True, loss_reduction="sum", strict=False
    )
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4)

    def step() -> None:
        total = [torch.zeros_like(p) for p in model.parameters()]
        for chunk in rows.split(part):
            optimiser.zero_grad(set_to_none=True)
            losses = model(chunk)
            losses.sum().backward(retain_graph=True)
            optimiser.zero_grad(set_to_none=True)
            factors = model.get_clipping_coef()
            model.disable_hooks()
            (factors * losses).sum().backward()
            model.enable_hooks()
            for sum_, p in zip(total, model.parameters(), strict=True):
                sum_ += p.grad
        for p, g in zip(model.parameters(), total, strict=True):
            p.grad = g / len(rows)
        optimiser.step()

    return step


def without_privacy(width: int, rows: torch.Tensor) -> dict[str, Step]:
    """Returns the non-private step at several micro-batches."""
    return {f"non-private, parts of {p}": plain(width, rows, p) for p in (128, 256, len(rows))}


def peers(width: int, rows: torch.Tensor) -> dict[str, Step]:
    """Returns other ways to clip, each at the micro-batches that suit it best."""
    found = {"vmap": by_vmap(width, rows)}
    if importlib.util.find_spec("opacus"):
        for part in (128, len(rows)):
            found[f"Opacus ghost, parts of {part}"] = opacus_ghost(width, rows, part)
        found["Opacus hooks, parts of 128"] = opacus_hooks(width, rows, 128)
    return found


def measure(steps: dict[str, Step], rounds: int) -> dict[str, float]:
    """Returns the median processor seconds of each step, taken in turns."""
    times: dict[str, list[float]] = {name: [] for name in steps}
    for turn in range(rounds + 2):
        for name, step in steps.items():
            begin = time.process_time()
            step()
            if turn >= 2:
                times[name].append(time.process_time() - begin)
    return {name: statistics.median(seconds) for name, seconds in times.items()}


def show(seconds: dict[str, float], unit: float, name: str) -> None:
    for contender, value in sorted(seconds.items(), key=lambda item: item[1]):
        print(f"  {contender:32} {value * 1e3:9.1f} ms   {value / unit:6.2f} x {name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="also write the ratios to this file")
    parser.add_argument("--records", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--widths", type=int, nargs="+", default=[64, 128])
    parser.add_argument("--peers", choices=("all", "none"), default="all")
    options = parser.parse_args()
    torch.set_num_threads(1)
    keep_freed_memory()
    if options.peers == "all" and importlib.util.find_spec("opacus"):
        teach_opacus()
    result: dict[str, object] = {
        "ratio_nonprivate": {}, "ratio_opacus_best": {}, "kernel": kernel_name(),
        "records": options.records, "rounds": options.rounds, "torch": torch.__version__,
    }  # fmt: skip
    for width in options.widths:
        rows = draw(options.records)
        print(f"\nd = {width}, {options.records} records a step, kernel: {kernel_name()}")
        seconds = measure(without_privacy(width, rows) | {OURS: ours(width, rows)}, options.rounds)
        base = min(s for name, s in seconds.items() if name != OURS)
        show(seconds, base, "non-private")
        result["ratio_nonprivate"][str(width)] = round(seconds[OURS] / base, 4)
        if options.peers == "all":
            contenders = {OURS: ours(width, rows)} | peers(width, rows)
            seconds = measure(contenders, -(-options.rounds // 2))
            show(seconds, seconds[OURS], "ours")
            opacus = [s / seconds[OURS] for name, s in seconds.items() if name.startswith("Opacus")]
            result["ratio_opacus_best"][str(width)] = round(min(opacus), 4) if opacus else None
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
