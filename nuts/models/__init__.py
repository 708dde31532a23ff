"""Posteriors that come with the package, each with a reference."""

from __future__ import annotations

from nuts.models import (
    analytic,
    breast_cancer,
    brownian_motion,
    diabetes,
    eight_schools,
    lotka_volterra,
    stochastic_volatility,
)
from nuts.models.model import Model

MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        breast_cancer.MODEL,
        diabetes.MODEL,
        eight_schools.NONCENTRED,
        eight_schools.CENTRED,
        brownian_motion.MODEL,
        lotka_volterra.MODEL,
        stochastic_volatility.MODEL,
        analytic.NORMAL,
        analytic.BANANA,
        analytic.FUNNEL,
    )
}

__all__ = ["MODELS", "Model"]
