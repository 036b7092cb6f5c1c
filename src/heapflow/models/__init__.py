"""What library functions do to memory, as data: `*.toml` beside this file, and users' own files."""

from heapflow.models.dump import dump_models
from heapflow.models.load import Models, load_models
from heapflow.models.model import FunctionModel, ModelError

__all__ = ["FunctionModel", "ModelError", "Models", "dump_models", "load_models"]
