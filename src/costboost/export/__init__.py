"""Export of fitted models: to ONNX for other languages and servers, and to shap."""

from costboost.export.pipelines import register_skl2onnx
from costboost.export.writing import to_onnx

__all__ = ["register_skl2onnx", "to_onnx"]
