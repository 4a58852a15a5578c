"""Checks and times every kernel of this folder; under a profiler, shows it their launches."""

import attention
import column_sum
import gated
import layernorm
import matmul
import torch
from kernel_audit import bench

results = [
    bench(matmul.matmul, reference=torch.matmul, inputs=matmul.inputs, tuner=matmul.matmul_kernel, kernel="matmul_kernel"),
    bench(attention.attention, reference=attention.expected, inputs=attention.inputs, kernel="attention_kernel"),
    bench(layernorm.layernorm, reference=layernorm.expected, inputs=layernorm.inputs, kernel="layernorm_kernel"),
    bench(column_sum.column_sum, reference=column_sum.expected, inputs=column_sum.inputs, kernel="column_sum_kernel", tolerance=1e-5),
    bench(gated.gated, reference=gated.expected, inputs=gated.inputs, name="gated", kernel="triton_poi"),
]
for result in results:
    print(result)
raise SystemExit(any(result.passed is False for result in results))
