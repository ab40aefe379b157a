"""``export``: a model for other programs, as ONNX."""

from __future__ import annotations

from costboost.app.cli import terminal
from costboost.app.cli.given import Given
from costboost.app.cli.output_files import check_writable
from costboost.app.reading.errors import InputError
from costboost.decisions.actions import classifier_inside
from costboost.export import to_onnx
from costboost.io import load


def run(given: Given) -> None:
    check_writable(given.out, given.model)
    try:
        model = classifier_inside(load(given.model))
        graph = to_onnx(
            model, given.out, inputs=given.inputs, dtype=given.dtype, costs=not given.fixed_costs
        ).graph
    except (ModuleNotFoundError, ValueError) as error:
        raise InputError(str(error)) from error
    names, usual = [node.name for node in graph.input], {node.name for node in graph.initializer}
    terminal.info(f"inputs: {', '.join(name for name in names if name not in usual)}")
    if usual.intersection(names):
        terminal.info(f"costs: {', '.join(name for name in names if name in usual)}")
    terminal.info(f"outputs: {', '.join(node.name for node in graph.output)}")
    terminal.info(f"model: {given.out}")
