"""A peer of notebooks/results/rotate-peers.sh: steps of RotatE in plain PyTorch, as a researcher would write them.

    rotate.py [--dim 200] [--batch 512] [--negatives 256] [--threads 2] [--steps 20] [--shared] [--compile]

The model and the self-adversarial loss are those of Sun et al. 2019 (equation 6): each triple has its own sample of
entities, which replace its tail and then its head. --shared draws one sample for a batch, as autoblm does. Triples are
random, with FB15k-237's numbers of entities, relations and training triples: only time is measured.
Prints one JSON object.
"""
import argparse
import json
import math
import time

import torch
from torch.nn.functional import logsigmoid

ENTITIES, RELATIONS, TRIPLES = 14_541, 237, 272_115
MARGIN = 9.0


class RotatE:
    def __init__(self, dim):
        self.width = 2 * (MARGIN + 2) / dim  # of the initial values, as published
        self.entities = torch.nn.Parameter(torch.empty(ENTITIES, dim).uniform_(-self.width, self.width))
        self.relations = torch.nn.Parameter(torch.empty(RELATIONS, dim // 2).uniform_(-self.width, self.width))

    def scores(self, fixed, relation, candidates, reverse):
        """The margin minus the distances of candidates from the fixed entity after its rotation, or its inverse."""
        phase = relation * (math.pi / self.width)
        cos, sin = torch.cos(phase), -torch.sin(phase) if reverse else torch.sin(phase)
        real, imaginary = fixed.chunk(2, -1)
        other_real, other_imaginary = candidates.chunk(2, -1)
        real, imaginary = real * cos - imaginary * sin - other_real, real * sin + imaginary * cos - other_imaginary
        return MARGIN - torch.sqrt(real * real + imaginary * imaginary + 1e-12).sum(-1)


def loss(scores, net, triples, negatives):
    head, relation, tail = net.entities[triples[:, :1]], net.relations[triples[:, 1:2]], net.entities[triples[:, 2:]]
    total = 0
    for fixed, answer, reverse in ((head, tail, False), (tail, head, True)):
        positive = scores(fixed, relation, answer, reverse)
        negative = scores(fixed, relation, net.entities[negatives[reverse]], reverse)
        weights = torch.softmax(negative.detach(), 1)
        total = total - logsigmoid(positive).mean() - (weights * logsigmoid(-negative)).sum(1).mean()
    return total / 4


def main():
    p = argparse.ArgumentParser()
    for name, default in (("dim", 200), ("batch", 512), ("negatives", 256), ("threads", 2), ("steps", 20)):
        p.add_argument("--" + name, type=int, default=default)
    p.add_argument("--shared", action="store_true")
    p.add_argument("--compile", action="store_true")
    a = p.parse_args()
    torch.set_num_threads(a.threads)
    torch.manual_seed(0)
    net = RotatE(a.dim)
    scores = torch.compile(net.scores, dynamic=False) if a.compile else net.scores
    optimizer = torch.optim.Adam([net.entities, net.relations], lr=1e-3)

    def step():
        triples = torch.stack([torch.randint(n, (a.batch,)) for n in (ENTITIES, RELATIONS, ENTITIES)], 1)
        negatives = torch.randint(ENTITIES, (2, 1 if a.shared else a.batch, a.negatives))
        optimizer.zero_grad()
        loss(scores, net, triples, negatives).backward()
        optimizer.step()

    for _ in range(3):  # compiles and warms up
        step()
    start = time.perf_counter()
    for _ in range(a.steps):
        step()
    seconds = (time.perf_counter() - start) / a.steps
    print(json.dumps(dict(a.__dict__, torch=torch.__version__, seconds_per_epoch=seconds * math.ceil(TRIPLES / a.batch))))


if __name__ == "__main__":
    main()
