"""What a choice by the exponential mechanism costs, as Gaussian privacy.

A choice with privacy parameter epsilon has bounded range: over all outcomes, the log-ratio
of its probabilities on neighbouring tables lies in an interval [t - epsilon, t]. Among all
pairs of distributions of which that holds, the pair that is easiest to tell apart has two
outcomes, one at each end: given its mean, a variable in an interval varies most when it
sits at the ends. Let p and q be the probabilities of the outcome at t. The trade-off curve
of the pair has one corner, and so lies above that of two unit normals whose means differ by
mu(t) = Phi^-1(p) - Phi^-1(q), which is convex and goes through it. mu(t) is largest at
t = epsilon / 2, where p = 1 - q. So the choice is mu-Gaussian private with

    mu = -2 Phi^-1( 1 / (1 + exp(epsilon / 2)) ).

Against the concentrated bound epsilon^2 / 8 this mu^2 / 2 is larger, by pi / 2 at most. In
exchange a run that mixes choices with Gaussian releases stays Gaussian private, so that
its total is exact, also where each round depends on the rounds before.

Source: Dong, Durfee and Rogers 2020, "Optimal differential privacy composition for
exponential mechanisms" (bounded range and its worst case); Dong, Roth and Su 2022,
"Gaussian differential privacy" (trade-off curves); Smith and Thakurta 2022, "Fully
adaptive composition for Gaussian differential privacy" (rounds that depend on each other).
"""

from __future__ import annotations

import math

from scipy.special import ndtri
from scipy.stats import norm


def gaussian_mu(epsilon: float) -> float:
    """Returns the mu of the Gaussian privacy of one choice with parameter `epsilon`."""
    return -2.0 * float(ndtri(1.0 / (1.0 + math.exp(epsilon / 2.0))))


def epsilon_for(mu: float) -> float:
    """Returns the largest parameter of a choice that is `mu`-Gaussian private."""
    return 2.0 * float(norm.logcdf(mu / 2.0) - norm.logcdf(-mu / 2.0))
