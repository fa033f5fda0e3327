"""Works out how many parameters of a mixture of experts are read per token, where nobody published the count."""

from __future__ import annotations

from answers.catalogue.records import Model

DERIVED = "derived from the layout"
"""The basis of an active count that this module gives."""


def derive_active(model: Model) -> int | None:
    """Active parameters: the language model's parameters less the experts that a token does not use.

    An expert is three matrices of ``hidden_size`` x ``moe_intermediate_size`` (SwiGLU), in every layer after the dense ones.
    Layouts that this does not fit (experts in every second layer, experts of two matrices or in a latent space) are for the
    sources to leave out.

    Returns:
        The count in units, or None where the layout is not on file or this is not the layout's formula.
    """
    if (
        model.experts is None
        or model.experts_per_token is None
        or model.layers is None
        or model.hidden_size is None
        or model.moe_intermediate_size is None
        or model.dense_layers_before_moe is None
    ):
        return None
    expert = 3 * model.hidden_size * model.moe_intermediate_size
    moe_layers = model.layers - model.dense_layers_before_moe
    active = (model.text_parameters or model.parameters) - (model.experts - model.experts_per_token) * moe_layers * expert
    return active if active > 0 else None
