"""`f"{k if k > 1 else ''}"`: a number and a text have no one type, so each is made a text."""

from __future__ import annotations

import copy

import gast

from pcbatch.frontend.source import Source


def rewrite(source: Source) -> None:
    """Have the texts of both values be chosen from, where only one of them is a text."""
    for node in gast.walk(source.node):
        match node:
            case gast.FormattedValue(value=gast.IfExp() as chosen) if _is_mixed(chosen):
                chosen.body, chosen.orelse = (_text(node, x) for x in (chosen.body, chosen.orelse))
                node.conversion, node.format_spec = -1, None


def _is_mixed(node: gast.IfExp) -> bool:
    return _is_text(node.body) is not _is_text(node.orelse)


def _is_text(node: gast.expr) -> bool:
    is_constant = isinstance(node, gast.Constant) and isinstance(node.value, str)
    return is_constant or isinstance(node, gast.JoinedStr)


def _text(node: gast.FormattedValue, value: gast.expr) -> gast.expr:
    """What one of the values is in the text."""
    part = gast.FormattedValue(value, node.conversion, copy.deepcopy(node.format_spec))
    return gast.copy_location(gast.JoinedStr([gast.copy_location(part, value)]), value)
