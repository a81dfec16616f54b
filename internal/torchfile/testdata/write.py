"""Writes the files of the tests with PyTorch: python3 testdata/write.py (2.15.0 wrote them)."""
import os

import numpy
import torch

os.chdir(os.path.dirname(os.path.abspath(__file__)))
kinds = ["float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8"]
values = [0, 1, 2, 100, 64, 3]
tensors = {kind: torch.tensor(values).to(getattr(torch, kind)).reshape(2, 3) for kind in kinds}
tensors["bool"] = torch.tensor([[True, False]])
base = torch.arange(24, dtype=torch.float32).reshape(4, 6)
tensors["transposed"] = base.t()
tensors["window"] = base[1:3, 2:5]
tensors["steps"] = base[::2, ::3]
tensors["empty"] = torch.zeros(0, 5)
tensors["scalar"] = torch.tensor(-2.5)
tensors["halves"] = torch.tensor([6e-8, -65504.0, float("inf"), 0.1], dtype=torch.float16)
nested = {
    "tensors": tensors,
    "list": [1, -1, 300, 70000, -(2**40), 2.5, None, True, "Köln \"α\"\n", (1, (2, 3), ())],
    "dict": {7: "seven", "inner": {"deep": [tensors["window"]]}},
    "parameter": torch.nn.Parameter(torch.ones(2)),
    "array": numpy.arange(6, dtype=numpy.int64).reshape(2, 3),
    "columns": numpy.asfortranarray(numpy.arange(6, dtype=numpy.float32).reshape(2, 3)),
    "state": torch.nn.Linear(2, 1, bias=False).state_dict(),
}
nested["state"]["weight"][:] = torch.tensor([1.0, 2.0])
torch.save(nested, "zip.pt")
torch.save(nested, "legacy.pt", _use_new_zipfile_serialization=False)
torch.save(nested, "protocol4.pt", pickle_protocol=4)
torch.save(nested, "protocol5.pt", pickle_protocol=5)
torch.save({"module": torch.nn.Embedding(2, 3, _weight=torch.ones(2, 3))}, "module.pt")


class Harmful:
    def __reduce__(self):
        return os.system, ("touch executed",)


torch.save({"x": Harmful()}, "harmful.pt")
torch.save(torch.ones(1).expand(1000), "expanded.pt")
