"""Export of fitted models: to ONNX for other languages and servers, and to shap."""

from costboost.export.writing import as_numbers, register_skl2onnx, to_onnx, to_shap

__all__ = ["as_numbers", "register_skl2onnx", "to_onnx", "to_shap"]
